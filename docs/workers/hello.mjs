// A pawl worker in Node: the job is one JSON line on stdin, the answer is JSON lines on stdout.
import { readFileSync } from 'node:fs';

const job = JSON.parse(readFileSync(0, 'utf8'));
const say = (line) => console.log(JSON.stringify(line));

say({ type: 'step', text: `reading ${job.item.id}` });
const words = job.item.body.split(/\s+/).filter(Boolean).length;
say({ type: 'checkpoint', notes: `${words} words counted` });
say({ type: 'result', outcome: 'done', summary: `hello, ${job.item.title}: ${words} words`, fields: { words } });
