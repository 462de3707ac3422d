// npm run bench -- audit: what a row of the audit log costs, alone and when a hundred write at once, beside the same
// transaction without it; and how fast the chain is verified.

import { migrate } from '../datastore/migrate.ts';
import { recordAudit, systemActor } from '../identity/audit/audit.service.ts';
import { verifyAudit } from '../identity/audit/verify.service.ts';
import { systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';

const WRITES = 2000;

interface AuditTimes {
  each_ms: number;
  p50_ms: number;
  p99_ms: number;
}

async function measure(at_once: number, work: () => Promise<void>): Promise<AuditTimes> {
  const times: number[] = [];
  let left = WRITES;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const began = systemClock.monotonic();
      await work();
      times.push(systemClock.monotonic() - began);
    }
  };
  const began = systemClock.monotonic();
  await Promise.all(Array.from({ length: at_once }, worker));
  const took = systemClock.monotonic() - began;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { each_ms: took / times.length, p50_ms: at(0.5), p99_ms: at(0.99) };
}

const directory = makeRunDirectory();
try {
  await using server = await startIn(directory, {
    major: 18,
    settings: { fsync: 'on', synchronous_commit: 'on' },
  });
  const url = new Secret(server.url);
  await migrate(url, silentLog);
  const db = new Database({ url, log: silentLog, applicationName: 'bench', max: 20 });
  const ctx = { clock: systemClock, log: silentLog, principal: systemActor('cli') };
  const change = sql`/* bench.change */
    insert into matriarch.login_attempts (address) values ('192.0.2.1')`;
  const plain = () => db.transaction(async (tx) => void (await tx.run(change)));
  const audited = () =>
    db.transaction(async (tx) => {
      await tx.run(change);
      await recordAudit(
        { ...ctx, db: tx },
        {
          action: 'connection.change',
          target: { kind: 'connection', id: 1, name: 'orders' },
          details: { changed: ['port'], host: 'db.example.org', port: 5432 },
        },
      );
    });
  await measure(1, audited);
  for (const at_once of [1, 10, 100]) {
    const without = await measure(at_once, plain);
    const withRow = await measure(at_once, audited);
    const say = ({ each_ms, p50_ms, p99_ms }: AuditTimes) =>
      `${(1000 / each_ms).toFixed(0)} a second, median ${p50_ms.toFixed(2)} ms, p99 ${p99_ms.toFixed(2)} ms`;
    print(`${at_once} at once: without ${say(without)}; audited ${say(withRow)}`);
  }
  const began = systemClock.monotonic();
  const { checked, broken } = await verifyAudit(db);
  const took = systemClock.monotonic() - began;
  const { bytes } = await db.one<{ bytes: number }>(sql`/* bench.size */
    select pg_total_relation_size('matriarch.audit_events') as bytes`);
  print(
    `verify: ${checked} rows in ${took.toFixed(0)} ms (${broken ? broken.reason : 'whole'}), ${(bytes / checked).toFixed(0)} bytes a row with indexes`,
  );
  await db.stop();
} finally {
  removeRunDirectory(directory);
}
