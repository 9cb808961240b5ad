"""Figures that only go down: each is held against a bound in a file, and a bound may rise only in a change that adds or edits a decision."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECISIONS = "Sources/Errand/Errand.docc/Decisions/"


def judge(found, file):
    """Ends the process: with 1 if a figure of `found`, a dictionary of (figure, where), is above its bound, or a bound was raised."""
    if "--found" in sys.argv:
        print("\n".join(f"{what}: {count}" for what, (count, _) in found.items()))
        sys.exit()
    bounds = read((ROOT / file).read_text())
    problems = sorted(set(found) ^ set(bounds))
    for what, (count, which) in found.items():
        bound = bounds.get(what, 0)
        if count > bound:
            problems.append(what)
        print(f"{what}: {count}, bound {bound}{': too many' if count > bound else ''} ({which})")
    problems += raised(bounds, file)
    for problem in problems:
        print(f"not within the bounds: {problem}")
    sys.exit(bool(problems))


def read(text):
    pairs = (line.rsplit(":", 1) for line in text.splitlines() if ":" in line and not line.startswith("#"))
    return {what: int(bound) for what, bound in pairs}


def raised(bounds, file):
    """The bounds that are higher than they were before the change, where no decision came with it.

    The change is what is not committed; else the last commit. A branch is compared with the main branch too.
    """
    problems = []
    for before in filter(None, [last_commit(file), main_branch()]):
        text = git("show", f"{before}:{file}")
        if text is None:
            continue
        old = read(text)
        higher = [what for what, bound in bounds.items() if bound > old.get(what, bound)]
        changed = (git("diff", "--name-only", before, "--", DECISIONS) or "").split()
        changed += (git("ls-files", "--others", "--exclude-standard", "--", DECISIONS) or "").split()
        if higher and not changed:
            problems += [f"the bound of {what} was raised since {before[:12]} without a decision" for what in higher]
    return problems


def last_commit(file):
    is_changed = git("status", "--porcelain", "--untracked-files=no", "--", file)
    return git("rev-parse", "--verify", "--quiet", "HEAD" if is_changed else "HEAD^")


def main_branch():
    for name in ("origin/main", "main"):
        if git("rev-parse", "--verify", "--quiet", name):
            return git("merge-base", name, "HEAD")
    return None


def git(*arguments):
    """What git prints; `None` where it fails, as without a history."""
    try:
        run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return None
    return run.stdout.strip() if run.returncode == 0 else None
