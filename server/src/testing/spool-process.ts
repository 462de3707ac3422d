// A spool in a process of its own, for tests that kill it or fill its disk. Arguments: directory, most bytes, first
// number, how many (0: without end). Appends numbered batches, and prints each number once append has answered for it.
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { openSpool } from '../store/spool/spool.ts';

const [directory = '', maxBytes = '', first = '0', count = '0'] = process.argv.slice(2);
const spool = await openSpool({
  directory,
  maxBytes: Number(maxBytes),
  clock: systemClock,
  log: silentLog,
  minFreeBytes: 0,
});
const end = count === '0' ? Number.POSITIVE_INFINITY : Number(first) + Number(count);

async function appendFrom(start: number, step: number): Promise<void> {
  for (let n = start; n < end; n += step) {
    const noise = Buffer.alloc(500 + (n % 7) * 700);
    for (let at = 0; at < noise.length; at += 1) noise[at] = Math.random() * 256;
    const about = { connections: [n % 5], from: n, to: n };
    const seq = await spool.append({ n, noise: noise.toString('base64') }, about);
    if (seq === 0) spool.giveUp(about);
    process.stdout.write(`${n}\n`);
  }
}

await Promise.all([0, 1, 2].map((step) => appendFrom(Number(first) + step, 3)));
await spool.stop();
process.stdout.write('end\n');
