import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { capabilitiesStatement, PING, statementTimeout } from '../../collector/target.queries.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { isSqlProbe } from '../../probes/types.ts';
import { StatementLedger } from './statement-ledger.ts';

const ran = (ledger: StatementLedger, text: string, { at = 1, failed = false } = {}) =>
  ledger.ran(7, text, { at, failed });

describe('the ledger of statements', () => {
  it('counts each statement of a server until it is written down', () => {
    const ledger = new StatementLedger();
    ran(ledger, PING, { at: 10 });
    ran(ledger, PING, { at: 30, failed: true });
    ledger.ran(8, PING, { at: 20, failed: false });
    const taken = ledger.take();
    expect(taken.texts).toMatchObject([
      { name: 'collector.ping', source: 'collector/target.queries.ts', text: PING },
    ]);
    expect(taken.texts[0]?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(taken.runs).toMatchObject([
      { connection_id: 7, first_run_at: 10, last_run_at: 30, runs: 2, failures: 1 },
      { connection_id: 8, first_run_at: 20, last_run_at: 20, runs: 1, failures: 0 },
    ]);
    expect(ledger.take()).toEqual({ texts: [], runs: [] });
  });

  it('hands a text out again until it is known to be written', () => {
    const ledger = new StatementLedger();
    ran(ledger, PING, { at: 10 });
    const taken = ledger.take();
    ran(ledger, PING, { at: 40 });
    ledger.restore(taken);
    const again = ledger.take();
    expect(again.runs).toMatchObject([{ first_run_at: 10, last_run_at: 40, runs: 2 }]);
    expect(again.texts).toHaveLength(1);
    ledger.done(again.texts);
    ran(ledger, PING, { at: 50 });
    expect(ledger.take()).toMatchObject({ texts: [], runs: [{ runs: 1 }] });
  });

  it('takes statements that differ in their lists and numbers for one', () => {
    const ledger = new StatementLedger();
    for (const ms of [1000, 2000]) ran(ledger, statementTimeout(ms));
    for (const name of ['pg_catalog.a', 'pg_catalog.b'])
      ran(ledger, capabilitiesStatement([name], [`${name}()`]));
    for (const keys of ['1/2/true', '3/4/true,5/6/true'])
      ran(
        ledger,
        `/* probe.pg_stat_statements.texts */\nselect x = any ('{${keys}}'::text[])\nlimit ${keys.length}`,
      );
    const { texts, runs } = ledger.take();
    expect(texts.map(({ name }) => name)).toEqual([
      'collector.timeout',
      'collector.capabilities',
      'probe.pg_stat_statements.texts',
    ]);
    expect(runs.map((run) => run.runs)).toEqual([2, 2, 2]);
    expect(texts.map(({ text }) => text).join()).not.toMatch(/1000|pg_catalog\.a\b|3\/4/);
  });

  it('names a file that exists for every probe', () => {
    const ledger = new StatementLedger();
    for (const { name } of probes.filter(isSqlProbe)) ran(ledger, `/* probe.${name} */ select 1`);
    for (const name of ['hosts.sql_files.read', 'target.session', 'collector.ping'])
      ran(ledger, `/* ${name} */`);
    const missing = ledger
      .take()
      .texts.filter(({ source }) => !existsSync(new URL(`../../${source}`, import.meta.url)));
    expect(missing).toEqual([]);
  });
});
