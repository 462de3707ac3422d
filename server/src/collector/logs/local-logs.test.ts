// Log files of servers on this machine, read from the disk: by a role that has no function for it, whatever is rotated, replaced or
// truncated, and nothing but files of the server.
import {
  appendFileSync,
  chownSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newHouse, pollMoved } from '../../testing/collecting-tests.ts';
import {
  counted,
  gaps,
  MON,
  positionOf,
  READING,
  raise,
  sourceOf,
  started,
} from '../../testing/logs/logging-server.ts';
import { startCluster } from '../../testing/servers/postgres.ts';

async function withoutFunction(settings: object = {}) {
  const server = await startCluster({
    settings: { logging_collector: true, log_line_prefix: '%m [%p] %e %q%u@%d ', ...settings },
  });
  onTestFinished(() => server.stop());
  await server.query("create role mon login password 'mon'; grant pg_monitor to mon");
  const folder = path.join(server.directory, 'log');
  const { uid, gid } = statSync(folder);
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    chownSync(path.join(folder, name), uid, gid);
  };
  return { server, folder, write };
}

const line = (n: number) => `2026-11-27 10:00:00.000 UTC [${n}] WARNING:  LE002: line ${n}\n`;

it('every line is counted once, through rotation, replacement and truncation', async () => {
  const { server, folder, write } = await withoutFunction({ log_filename: 'pg-%H%M%S.log' });
  const house = await newHouse();
  const id = await house.connect(server, MON);
  const collector = house.start(READING);
  await started(house, id);
  expect(await sourceOf(house, id)).toMatchObject({ reason: null, mend: null });
  await raise(server, 1, 300);
  await pollMoved(house, () => counted(house, id, 'LE001')).toBe(300);
  // A collector that is away, and a rotation meanwhile.
  await collector.stop();
  await raise(server, 301, 350);
  await server.query('select pg_sleep(1.1)');
  await server.query('select pg_rotate_logfile()');
  await server.query('select pg_sleep(0.2)');
  await raise(server, 351, 400);
  house.start(READING);
  await pollMoved(house, () => counted(house, id, 'LE001')).toBe(400);
  write('other.log', line(1) + line(2));
  await pollMoved(house, () => counted(house, id, 'LE002')).toBe(2);
  // As logrotate does: the file goes by another name, and a new one takes its place.
  renameSync(path.join(folder, 'other.log'), path.join(folder, 'other.log.1'));
  write('other.log', line(11) + line(12) + line(13));
  await pollMoved(house, () => counted(house, id, 'LE002')).toBe(5);
  truncateSync(path.join(folder, 'other.log'), 0);
  await pollMoved(house, () => positionOf(house, id, 'other.log')).toBe(0);
  appendFileSync(path.join(folder, 'other.log'), line(21));
  await pollMoved(house, () => counted(house, id, 'LE002')).toBe(6);
  expect(await gaps(house, id)).toEqual([]);
  expect(await counted(house, id, 'LE001')).toBe(400);
}, 120_000);

it('nothing is read but files of the user of the server', async () => {
  const { server, folder, write } = await withoutFunction();
  const outside = path.join(folder, '..', 'outside.txt');
  writeFileSync(outside, line(1));
  const house = await newHouse();
  const id = await house.connect(server, MON);
  house.start(READING);
  await started(house, id);
  symlinkSync(outside, path.join(folder, 'link.log'));
  // Of the user that runs the test, who is root where servers have a user of their own.
  const { uid } = statSync(folder);
  if (uid !== process.getuid?.()) writeFileSync(path.join(folder, 'foreign.log'), line(2));
  write('own.log', line(3));
  await pollMoved(house, () => counted(house, id, 'LE002')).toBe(1);
  await raise(server, 1, 10);
  await pollMoved(house, () => counted(house, id, 'LE001')).toBe(10);
  expect(await counted(house, id, 'LE002')).toBe(1);
}, 60_000);

it('a server whose files are not read here is said to lack the function', async () => {
  const { server } = await withoutFunction();
  await server.query('revoke pg_monitor from mon');
  const house = await newHouse();
  const id = await house.connect(server, MON);
  house.start(READING);
  await pollMoved(house, async () => (await sourceOf(house, id))?.reason).toMatch(
    /function that reads log files is not there/,
  );
}, 60_000);
