"""A tus server of PyPI for the tests, which gives back what it has stored; its folder is the environment's TUS_FILES."""
import os

from fastapi import FastAPI
from fastapi.responses import FileResponse
from tuspyserver import create_tus_router

folder = os.environ["TUS_FILES"]
app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=folder))


@app.get("/stored/{name}")
async def stored(name: str):
    return FileResponse(os.path.join(folder, os.path.basename(name)))
