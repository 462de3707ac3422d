// A spool in a process of its own, for tests that kill it or fill its disk. Arguments: directory, most bytes, first
// number, how many (0: without end). Appends numbered batches, and prints each number once append has answered for it;
// at the end the numbers that are left, and the gaps.
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Gap } from '../../store/spool/gaps.ts';
import { openSpool } from '../../store/spool/spool.ts';

const [directory = '', maxBytes = '', first = '0', count = '0'] = process.argv.slice(2);
const options = { directory, clock: systemClock, log: silentLog, minFreeBytes: 0, syncMs: 50 };
const spool = await openSpool({ ...options, maxBytes: Number(maxBytes) });
const end = count === '0' ? Number.POSITIVE_INFINITY : Number(first) + Number(count);

/** What no disk took. */
const refused: number[] = [];

async function appendFrom(start: number, step: number): Promise<void> {
  for (let n = start; n < end; n += step) {
    const noise = Buffer.alloc(500 + (n % 7) * 700);
    for (let at = 0; at < noise.length; at += 1) noise[at] = Math.random() * 256;
    const about = { connections: [n % 5], from: n, to: n };
    const seq = await spool.append({ n, noise: noise.toString('base64') }, about);
    if (seq === 0) refused.push(n);
    process.stdout.write(`${n}\n`);
  }
}

await Promise.all([0, 1, 2].map((step) => appendFrom(Number(first) + step, 3)));
await spool.sync();
const left: number[] = [];
let gaps: readonly Gap[] = [];
for await (const record of spool.unacknowledged()) {
  if (record.kind === 'gaps') gaps = record.gaps;
  else left.push(JSON.parse(record.payload.toString()).n);
}
await spool.stop();
process.stdout.write(`${JSON.stringify({ left, refused, gaps })}\n`);
