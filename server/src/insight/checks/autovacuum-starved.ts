// Servers whose autovacuum has more to do than its workers can: all of them are busy, and tables that are due wait.
import { shownCount } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { byReload } from './remedies.ts';
import { tableName, tablesAtWork } from './tables.ts';
import { defineCheck, NOTHING, type Problem, unknown } from './types.ts';

const LEAST_FACTOR = 2;
const NOTABLE_TABLES = 50;
const MOST_COST_LIMIT = 10_000;

const place = (item: Item) => `${item.database_name}\n${item.text('relid')}`;

/** The tables that autovacuum would vacuum: since 19 it says so itself of the most urgent ones, and of others it is reckoned. */
function dueTables(facts: Facts): Item[] {
  const said = new Map(
    facts.rows('pg_stat_autovacuum_scores').map((item) => [place(item), item.flag('do_vacuum')]),
  );
  return facts.rows('pg_stat_all_tables').filter((item) => said.get(place(item)) ?? isDue(item));
}

function isDue(item: Item): boolean {
  const [dead, threshold] = [item.number('n_dead_tup'), item.number('vacuum_threshold')];
  return (
    item.flag('autovacuum_enabled') === true &&
    dead !== null &&
    threshold !== null &&
    dead > LEAST_FACTOR * Math.max(threshold, 1)
  );
}

/** What the workers share; -1 means the one of vacuum. */
function costLimit(facts: Facts): number {
  const own = facts.settingNumber('autovacuum_vacuum_cost_limit') ?? -1;
  return own > 0 ? own : (facts.settingNumber('vacuum_cost_limit') ?? 200);
}

function remedyOf(facts: Facts): string {
  const limit = costLimit(facts);
  return limit < MOST_COST_LIMIT
    ? byReload('autovacuum_vacuum_cost_limit', String(Math.min(MOST_COST_LIMIT, Math.max(1000, limit * 4))))
    : byReload('autovacuum_vacuum_cost_delay', '0');
}

function foundOf(facts: Facts, waiting: readonly Item[], workers: number): Problem {
  const dead = waiting.reduce((sum, item) => sum + (item.number('n_dead_tup') ?? 0), 0);
  const delay = facts.settingRow('autovacuum_vacuum_cost_delay')?.text('setting') ?? null;
  return {
    database_name: '',
    object_name: '',
    severity: waiting.length >= NOTABLE_TABLES ? 'warning' : 'info',
    message: `${workers === 1 ? 'The only autovacuum worker is' : `All ${workers} autovacuum workers are`} busy. For a worker wait ${shownCount(waiting.length, 'table')} with ${shownCount(dead, 'dead tuple')}.`,
    figure: { value: waiting.length, unit: 'count' },
    evidence: {
      autovacuum_max_workers: workers,
      tables_waiting: waiting.length,
      n_dead_tup: dead,
      autovacuum_vacuum_cost_limit: costLimit(facts),
      autovacuum_vacuum_cost_delay: delay,
    },
    rows: waiting
      .toSorted((a, b) => (b.number('n_dead_tup') ?? 0) - (a.number('n_dead_tup') ?? 0))
      .map((item) => ({
        database: item.database_name,
        table: tableName(item),
        n_dead_tup: item.number('n_dead_tup'),
        vacuum_threshold: item.number('vacuum_threshold'),
      })),
    remedy: remedyOf(facts),
  };
}

export const check = defineCheck({
  name: 'autovacuum_starved',
  category: 'vacuum',
  title: 'Autovacuum overload',
  figureName: 'tables waiting',
  meaning: 'Tables wait long for vacuum and bloat meanwhile.',
  advice: 'Raise the cost limit of autovacuum. More workers alone share the same limit.',
  caution: 'Faster vacuums cause more reads and writes at a time. Watch the disks.',
  source: 'runtime-config-autovacuum.html#GUC-AUTOVACUUM-VACUUM-COST-LIMIT',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      'relid',
      'schemaname',
      'relname',
      'n_dead_tup',
      'vacuum_threshold',
      'autovacuum_enabled',
    ],
    pg_stat_activity: ['backend_type'],
    pg_settings: ['name', 'setting'],
  },
  uses: { pg_stat_progress: ['command', 'relid'], pg_stat_autovacuum_scores: ['relid', 'do_vacuum'] },
  judge: (facts) => {
    const workers = facts.settingNumber('autovacuum_max_workers');
    if (workers === undefined) return unknown('autovacuum_max_workers is unknown.');
    const busy = facts
      .rows('pg_stat_activity')
      .filter((item) => item.text('backend_type') === 'autovacuum worker').length;
    if (busy < workers) return NOTHING;
    const atWork = tablesAtWork(facts, 'VACUUM');
    const waiting = dueTables(facts).filter((item) => !atWork.has(item.text('relid') ?? ''));
    return waiting.length > workers ? { found: [foundOf(facts, waiting, workers)] } : NOTHING;
  },
  figureAfter: (facts) => dueTables(facts).length,
});
