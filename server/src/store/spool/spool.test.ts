// The spool on a real file system: what was appended comes back, whatever is cut, damaged or full. Processes
// that are killed are in spool.proof.test.ts.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sleep, systemClock } from '../../kernel/clock.ts';
import { createLog, silentLog } from '../../kernel/log.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { MB, openedSpool } from '../../testing/store/spools.ts';
import { HEADER_BYTES, recordAt } from './format.ts';
import { replay } from './replay.ts';
import type { Spool, Spooled } from './types.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');

async function all(spool: Spool): Promise<Spooled[]> {
  return Array.fromAsync(spool.unacknowledged());
}

const seqs = (records: readonly Spooled[]) => records.map(({ seq }) => seq);
const texts = (records: readonly Spooled[]) =>
  records.flatMap((one) => (one.kind === 'batch' ? one.payload.toString() : []));
const gapsOf = (records: readonly Spooled[]) => {
  const last = records.findLast((one) => one.kind === 'gaps');
  return last?.kind === 'gaps' ? last.gaps : [];
};
const segmentsIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.spool'))
    .map((name) => path.join(directory, name));
/** Connection 1, at second n. */
const about = (n: number) => ({ connections: [1], from: T0 + n * 1000, to: T0 + n * 1000 });

describe('a spool', () => {
  it('gives back what was appended, in order, under numbers that no other process gives', async () => {
    const directory = testDirectory('spool');
    const first = await openedSpool(directory);
    await first.append(Buffer.from([0, 255, 1]), about(1));
    await first.append({ rows: ['ä', null] }, { connections: [3, 9], from: 5, to: 7 });
    await first.stop();
    const second = await openedSpool(directory);
    const third = await second.append(new Uint8Array(), about(2));
    const { collector } = first;
    const record = { collector, kind: 'batch' };
    expect(await all(second)).toEqual([
      { ...record, epoch: 1, seq: 1, ...about(1), payload: Buffer.from([0, 255, 1]) },
      {
        ...record,
        epoch: 1,
        seq: 2,
        connections: [3, 9],
        from: 5,
        to: 7,
        payload: Buffer.from('{"rows":["ä",null]}'),
      },
      { ...record, epoch: 2, seq: third, ...about(2), payload: Buffer.alloc(0) },
    ]);
  });

  it('gives back records of every size, packed at once or by a thread', async () => {
    const directory = testDirectory('spool');
    const spool = await openedSpool(directory);
    const sizes = [1, 100, 511, 513, 8192, 16_383, 16_384, 16_385, 32_769, MB];
    const payloads = sizes.flatMap((size) => [
      randomBytes(size),
      Buffer.from('row,'.repeat(size).slice(0, size)),
    ]);
    for (const payload of payloads) await spool.append(payload, about(1));
    const back = (await all(spool)).flatMap((one) => (one.kind === 'batch' ? [one.payload] : []));
    expect(back.map((payload, index) => payload.equals(payloads[index] ?? Buffer.alloc(0)))).toEqual(
      payloads.map(() => true),
    );
  });

  it('forgets what is acknowledged in any order, and leaves no file of it', async () => {
    const directory = testDirectory('spool');
    const spool = await openedSpool(directory, { segmentBytes: 4096 });
    const numbers: number[] = [];
    for (let n = 0; n < 60; n += 1) numbers.push(await spool.append(randomBytes(500), about(n)));
    expect(segmentsIn(directory).length).toBeGreaterThan(5);
    for (const seq of numbers.filter((n) => n % 3 !== 0)) spool.acknowledge(seq);
    expect(seqs(await all(spool))).toEqual(numbers.filter((n) => n % 3 === 0));
    for (const seq of numbers.toReversed()) spool.acknowledge(seq);
    expect(spool.stats.acknowledged).toBe(60);
    await spool.stop();
    expect(segmentsIn(directory)).toEqual([]);
    const next = await openedSpool(directory);
    expect([next.epoch, next.collector]).toEqual([2, spool.collector]);
  });

  it('holds what a model holds, through any appends, acknowledgements and new starts', async () => {
    const commands = fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.record({ append: fc.integer({ min: 0, max: 3000 }) }) },
        { weight: 4, arbitrary: fc.record({ acknowledge: fc.nat() }) },
        { weight: 1, arbitrary: fc.constant({ restart: true as const }) },
      ),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        const directory = testDirectory('spool');
        let spool = await openedSpool(directory, { segmentBytes: 4000 });
        const model = new Map<number, string>();
        for (const step of steps) {
          if ('append' in step) {
            const text = randomBytes(step.append).toString('latin1');
            model.set(await spool.append(Buffer.from(text)), text);
          } else if ('acknowledge' in step) {
            const seq = [...model.keys()][step.acknowledge % Math.max(1, model.size)];
            if (seq === undefined) continue;
            spool.acknowledge(seq);
            model.delete(seq);
          } else {
            await spool.stop();
            spool = await openedSpool(directory, { segmentBytes: 4000 });
            // What was acknowledged may come again: the batch ledger knows it. What was not, has to come.
            for (const { seq } of await all(spool)) if (!model.has(seq)) spool.acknowledge(seq);
          }
        }
        const left = await all(spool);
        expect(texts(left)).toEqual([...model.values()]);
        expect(seqs(left)).toEqual([...model.keys()]);
        await spool.stop();
      }),
      { numRuns: 25 },
    );
  });
});

/** A segment of five records, and where each begins. */
async function fiveRecords() {
  const directory = testDirectory('spool');
  const spool = await openedSpool(directory);
  for (let n = 0; n < 5; n += 1)
    await spool.append(Buffer.from(`record ${n} ${'x'.repeat(n * 9)}`), about(n));
  await spool.stop();
  const [file = ''] = segmentsIn(directory);
  const bytes = readFileSync(file);
  const starts = [HEADER_BYTES];
  for (let n = 0; n < 4; n += 1) {
    const at = starts[n] ?? 0;
    const found = recordAt(bytes, at);
    starts.push(at + (found.kind === 'record' ? found.bytes : 0));
  }
  return { bytes, starts, name: path.basename(file) };
}

async function reopened(name: string, bytes: Buffer) {
  const directory = testDirectory('spool');
  writeFileSync(path.join(directory, name), bytes);
  return openedSpool(directory);
}

describe('a segment', () => {
  it('cut at any byte of its last record keeps everything before, and takes on more', async () => {
    const { bytes, starts, name } = await fiveRecords();
    for (let cut = starts[4] ?? 0; cut < bytes.length; cut += 1) {
      const spool = await reopened(name, bytes.subarray(0, cut));
      const seq = await spool.append(Buffer.from('next'));
      const left = await all(spool);
      expect(seqs(left)).toEqual([1, 2, 3, 4, 5]);
      expect(seq).toBe(5);
      expect(texts(left).at(-1)).toBe('next');
      expect(gapsOf(left)).toEqual([]);
      await spool.stop();
    }
  });

  it('with any byte damaged loses that record alone, and says between which times', async () => {
    const { bytes, starts, name } = await fiveRecords();
    const cases = fc.tuple(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([at, flip]) => {
        const damaged = Buffer.from(bytes);
        damaged.writeUInt8(damaged.readUInt8(at) ^ flip, at);
        const spool = await reopened(name, damaged);
        const hit = starts.findLastIndex((start) => start <= at);
        const expected = [1, 2, 3, 4, 5].filter((seq) => seq !== hit + 1);
        const left = await all(spool);
        expect(seqs(left.filter(({ kind }) => kind === 'batch'))).toEqual(expected);
        expect(left.slice(0, expected.length).every(({ epoch }) => epoch === 1)).toBe(true);
        await spool.sync();
        const gaps = gapsOf(await all(spool));
        // The torn end is nobody's loss: append never answered for it, as far as anybody can tell.
        if (hit < 0 || hit === 4) expect(gaps).toEqual([]);
        else
          expect(gaps).toEqual([
            {
              connection_id: null,
              from: about(Math.max(0, hit - 1)).from + (hit === 0 ? 1000 : 0),
              to: about(hit + 1).to,
              reason: 'damaged',
            },
          ]);
        await spool.stop();
      }),
      { numRuns: 150 },
    );
  });
});

describe('a spool that is full', () => {
  const fill = async (spool: Spool, count: number) => {
    for (let n = 0; n < count; n += 1)
      await spool.append(randomBytes(8000), { ...about(n), connections: [1 + (n % 2)] });
    await spool.sync();
    await spool.sync();
  };

  it('gives up the oldest and says exactly what, also to the next process', async () => {
    const directory = testDirectory('spool');
    const spool = await openedSpool(directory, { maxBytes: MB, segmentBytes: 64 * 1024 });
    await fill(spool, 400);
    expect(spool.stats.bytes).toBeLessThanOrEqual(MB + 64 * 1024);
    expect(spool.stats.dropped).toBeGreaterThan(200);
    await spool.stop();
    const next = await openedSpool(directory, { maxBytes: MB });
    const left = await all(next);
    const kept = left.flatMap((one) => (one.kind === 'batch' ? [one] : []));
    expect(kept.length).toBe(400 - spool.stats.dropped);
    const firstKept = 400 - kept.length;
    const gap = (id: number, first: number, last: number) => ({
      connection_id: id,
      from: about(first).from,
      to: about(last).to,
      reason: 'full',
    });
    const last = [firstKept - 1, firstKept - 2].sort((a, b) => (a % 2) - (b % 2));
    expect(gapsOf(left)).toEqual([gap(1, 0, last[0] ?? 0), gap(2, 1, last[1] ?? 0)]);
    for (const { seq } of left) next.acknowledge(seq);
    expect(await all(next)).toEqual([]);
  });

  it('keeps only what it is writing to while the disk has too little left', async () => {
    const directory = testDirectory('spool');
    const spool = await openedSpool(directory, {
      minFreeBytes: 2 ** 60,
      segmentBytes: 64 * 1024,
      syncMs: 10,
    });
    await fill(spool, 60);
    await expect.poll(() => spool.stats.segments).toBe(1);
    await expect.poll(async () => gapsOf(await all(spool)).length).toBe(2);
    expect(gapsOf(await all(spool)).every(({ reason }) => reason === 'disk')).toBe(true);
  });

  it('looks at the disk by itself only while something lies on it', async () => {
    const syncMs = 13;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const looks = () => timers.mock.calls.filter(([, ms]) => ms === syncMs).length;
    const spool = await openedSpool(testDirectory('spool'), { segmentBytes: 64 * 1024, syncMs });
    const further = async () => {
      const before = looks();
      await sleep(10 * syncMs);
      return looks() - before;
    };
    expect(await further()).toBe(0);
    await fill(spool, 60);
    expect(spool.stats.segments).toBeGreaterThan(1);
    expect(await further()).toBeGreaterThan(1);
    for (const { seq } of await all(spool)) spool.acknowledge(seq);
    await expect.poll(further).toBe(0);
    const before = looks();
    await spool.append({ n: 1 }, about(1));
    // Once, to sync it.
    await expect.poll(looks).toBe(before + 1);
    expect(await further()).toBe(0);
  });

  it('says a gap until that is acknowledged', async () => {
    const spool = await openedSpool(testDirectory('spool'), { maxBytes: MB, segmentBytes: 64 * 1024 });
    await fill(spool, 200);
    const record = (await all(spool)).findLast(({ kind }) => kind === 'gaps');
    expect(spool.stats.gaps).toBeGreaterThan(0);
    spool.acknowledge(record?.seq ?? 0);
    expect(spool.stats.gaps).toBe(0);
    expect(gapsOf(await all(spool))).toEqual([]);
  });
});

describe('a replay', () => {
  it('brings everything in order, tries again what failed, and lets live data go first', async () => {
    const directory = testDirectory('spool');
    const before = await openedSpool(directory);
    for (let n = 0; n < 100; n += 1) await before.append({ n }, about(n));
    await before.stop();
    const spool = await openedSpool(directory);
    const stored: number[] = [];
    let [failures, asked, groups] = [3, 0, 0];
    const count = await replay({
      spool,
      clock: systemClock,
      log: silentLog,
      signal: new AbortController().signal,
      store: async (records) => {
        groups += 1;
        expect(asked).toBeGreaterThanOrEqual(groups);
        const isSeventh = records.some(({ seq }) => seq === 7);
        failures -= isSeventh ? 1 : 0;
        if (isSeventh && failures >= 0) throw new Error('away');
        stored.push(...seqs(records));
      },
      liveIsStored: async () => {
        asked += 1;
      },
    });
    expect(count).toBe(100);
    // Some at a time, and three attempts that failed.
    expect(groups).toBe(4 + 3);
    expect(stored).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(await all(spool)).toEqual([]);
    await spool.stop();
    expect(segmentsIn(directory)).toEqual([]);
  });

  it('keeps what it could not store, without a warning, where it fails by the stop of the program', async () => {
    const said: string[] = [];
    const log = createLog({ level: 'trace', destination: { write: (line) => said.push(line) } });
    const spool = await openedSpool(testDirectory('spool'));
    await spool.append({ n: 1 }, about(1));
    const ending = new AbortController();
    const store = async () => {
      ending.abort();
      throw new Error('Matriarch is stopping.');
    };
    const liveIsStored = async () => {};
    const options = { spool, clock: systemClock, log, signal: ending.signal, store, liveIsStored };
    expect(await replay(options)).toBe(0);
    expect(said).toEqual([]);
    expect(seqs(await all(spool))).toEqual([1]);
    await spool.stop();
  });
});
