// Scenes of pg_hba.conf and TLS.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { serverUser } from '../../datastore/os-user.ts';
import { writePrivate } from '../../datastore/pg-files.ts';
import {
  type CheckRoom,
  type CheckScene,
  run,
  statementsOf,
} from '../../testing/servers/check-scenes/scene.ts';
import type { Readings } from '../../testing/servers/judging.ts';
import { makeTlsFiles, testDirectory } from '../../testing/servers/postgres.ts';
import type { Problem } from './types.ts';

const fileOf = ({ primary }: CheckRoom) => path.join(primary.directory, 'pg_hba.conf');

/** Adds a line to the end; answers what takes everything back. */
const withLine =
  (line: string): CheckScene['make'] =>
  async (room) => {
    const before = readFileSync(fileOf(room), 'utf8');
    writeFileSync(fileOf(room), `${before}${before.endsWith('\n') ? '' : '\n'}${line}\n`);
    return async () => {
      writeFileSync(fileOf(room), before);
      await run(room.primary, 'select pg_reload_conf()');
    };
  };

/** Writes the line that is shown in place of the one that it names. */
async function replaceLine({ remedy }: Problem, room: CheckRoom): Promise<void> {
  const [comment = '', line = ''] = remedy.split('\n');
  const number = Number(/in place of line (\d+)/.exec(comment)?.[1]);
  const lines = readFileSync(fileOf(room), 'utf8').split('\n');
  lines[number - 1] = line;
  writeFileSync(fileOf(room), lines.join('\n'));
  await run(room.primary, 'select pg_reload_conf()');
  const errors = await room.primary.query(
    'select line_number, error from pg_hba_file_rules where error is not null',
  );
  expect(errors).toEqual([]);
}

const isOn =
  (network: string): CheckScene['isIt'] =>
  ({ evidence }) =>
    evidence.address === network;

/** As it is on a server that others reach. */
function listening({ readings }: Readings): void {
  for (const reading of readings.get('pg_settings') ?? [])
    readings.set('pg_settings', [
      {
        ...reading,
        rows: reading.rows.map((row) => (row.name === 'listen_addresses' ? { ...row, setting: '*' } : row)),
      },
    ]);
}

export const scenes: readonly CheckScene[] = [
  {
    check: 'hba_trust',
    make: withLine('host shop,"all sorts" +admins,"Ann" 10.20.0.0/16 trust'),
    isIt: isOn('10.20.0.0/16'),
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', evidence: { listens_to_others: false } });
      expect(found.message).toContain('from 10.20.0.0/16 to shop, all sorts');
    },
    remedy: replaceLine,
  },
  {
    check: 'hba_trust',
    title: 'on a server that others reach',
    make: withLine('host all all fd00:1::/32 trust'),
    feed: listening,
    isIt: isOn('fd00:1::/32'),
    expect: (found) => expect(found.severity).toBe('critical'),
    remedy: replaceLine,
  },
  {
    check: 'hba_weak_method',
    make: withLine('host all all 10.30.0.0 255.255.255.0 password'),
    isIt: isOn('10.30.0.0/24'),
    expect: (found) => expect(found.severity).toBe('warning'),
    remedy: replaceLine,
  },
  {
    check: 'hba_weak_method',
    title: 'md5',
    make: withLine('host all all 10.30.0.0/24 md5'),
    isIt: isOn('10.30.0.0/24'),
    expect: (found) => expect(found.severity).toBe('info'),
    remedy: replaceLine,
  },
  {
    check: 'hba_wide_open',
    make: withLine('host all all 0.0.0.0/0 md5'),
    feed: listening,
    isIt: isOn('0.0.0.0/0'),
    expect: (found) => expect(found).toMatchObject({ severity: 'warning', evidence: { auth_method: 'md5' } }),
    remedy: replaceLine,
  },
  {
    check: 'hba_error',
    make: withLine('host all all 10.0.0.0/33 scram-sha-256'),
    isIt: () => true,
    expect: (found) => {
      expect(found.severity).toBe('critical');
      expect(found.message).toContain('10.0.0.0/33');
    },
    async remedy(found, room) {
      const lines = readFileSync(fileOf(room), 'utf8').split('\n');
      lines[Number(found.evidence.line_number) - 1] = 'host all all 10.0.0.0/32 scram-sha-256';
      writeFileSync(fileOf(room), lines.join('\n'));
      for (const one of statementsOf(found.remedy.split('\n').slice(1).join('\n')))
        await run(room.primary, one);
    },
  },
  {
    check: 'tls_off',
    isDear: true,
    async make({ primary, restart }) {
      await run(primary, "alter system set listen_addresses = '*'");
      await restart();
      return async () => {
        await run(primary, 'alter system reset ssl', 'alter system reset listen_addresses');
        await restart();
      };
    },
    isIt: () => true,
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'info', figure: { value: 0 }, evidence: { ssl: 'off' } }),
    async remedy(found, { primary }) {
      const { cert, key } = await makeTlsFiles(testDirectory('check-tls'), { host: '127.0.0.1' });
      for (const [from, name] of [
        [cert, 'server.crt'],
        [key, 'server.key'],
      ] as const)
        writePrivate(path.join(primary.directory, name), readFileSync(from, 'utf8'), serverUser());
      await run(primary, ...statementsOf(found.remedy));
    },
  },
];
