# A pawl worker in Python: the job is one JSON line on stdin, the answer is JSON lines on stdout.
import json
import sys

sys.stdin.reconfigure(encoding="utf-8")
job = json.load(sys.stdin)


def say(**line):
    print(json.dumps(line), flush=True)


say(type="step", text="reading " + job["item"]["id"])
words = len(job["item"]["body"].split())
say(type="checkpoint", notes=f"{words} words counted")
say(type="result", outcome="done", summary=f"hello, {job['item']['title']}: {words} words", fields={"words": words})
