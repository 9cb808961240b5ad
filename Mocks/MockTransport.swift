import Errand
