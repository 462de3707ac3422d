// What checks say of a real server: the probes that they read are run on it, as the collector would, and judged.
import { refined } from '../../collector/refine.ts';
import type { Session } from '../../collector/session.ts';
import { type DayRow, Facts, type Reading } from '../../insight/checks/facts.ts';
import { judgeAll, type Trouble, type Verdict } from '../../insight/checks/judge.ts';
import type { KeptPlans } from '../../insight/checks/kept-plan.ts';
import type { ProbeRun } from '../../insight/checks/probe-runs.ts';
import type { Check } from '../../insight/checks/types.ts';
import { systemClock } from '../../kernel/clock.ts';
import { StatementParser } from '../../kernel/parser/parser.ts';
import { probes as everyProbe } from '../../probes/catalog.gen.ts';
import { collectHost } from '../../probes/hosts/collect.ts';
import { type HostProbe, isHostProbe, type Probe } from '../../probes/types.ts';
import { wholeRows } from '../../store/layout/types.ts';
import { catalog, ofOwn, probeNamed, runProbe } from './probing.ts';

/** Probes that every check may ask, beside its own. */
const ALWAYS = ['pg_server_info', 'pg_stat_database', 'pg_settings', 'pg_stat_wal', 'pg_stat_checkpointer'];

export const probesOf = ({ reads, uses = {}, ofRuns }: Check): string[] => [
  ...new Set([...ALWAYS, ...Object.keys(reads), ...Object.keys(uses), ...(ofRuns ? EVERY_NAME : [])]),
];

/** Those that a session alone can run. */
const EVERY_NAME = catalog.filter((probe) => !isHostProbe(probe)).map(({ name }) => name);

export interface Readings {
  now: number;
  readings: Map<string, Reading[]>;
  troubles: Map<string, Trouble[]>;
  days?: Map<string, DayRow[]>;
  /** What became of them. */
  runs?: ProbeRun[];
  /** As of the reading before. */
  plans?: KeptPlans;
}

const HOST_PROBES: readonly HostProbe[] = everyProbe.filter(isHostProbe);

/** What is told of the machine of the server, as the collector would gather it. */
async function readHost({ client }: Session, wanted: readonly HostProbe[], found: Readings): Promise<void> {
  const { families } = await collectHost(
    {
      query: ({ text, values }) => client.query<Record<string, unknown>>(text, values),
      node_exporter_url: null,
      allow_private_networks: true,
      clock: systemClock,
      signal: new AbortController().signal,
    },
    { families: wanted.map(({ host }) => host), origins: false },
  );
  for (const { name, host } of wanted) {
    const outcome = families.get(host);
    if (outcome?.kind === 'ran')
      found.readings.set(name, [{ database_name: '', collected_at: systemClock.now(), rows: outcome.rows }]);
    else {
      const { reason: because = 'It was not gathered.', mend = null } = outcome ?? {};
      found.troubles.set(name, [{ database_name: '', because, mend, isNotApplicable: false }]);
    }
  }
}

/** As what became of it is kept. */
function runOf(probe: Probe, database_name: string, outcome: Awaited<ReturnType<typeof runProbe>>): ProbeRun {
  const did = outcome.kind === 'ran';
  return {
    ...{ probe: probe.name, database_name, outcome: outcome.kind },
    cause: outcome.kind === 'failed' ? null : (outcome.cause ?? null),
    reason: did ? (outcome.note ?? null) : outcome.reason,
    mend: outcome.mend ?? null,
    collected_at: did ? outcome.collected_at : null,
    ...{
      isCurrent: did,
      interval: probe.intervalSeconds,
      intervalSet: probe.intervalSeconds,
      slowedBecause: null,
    },
  };
}

const parser = new StatementParser();

/** As the collector does, with the statements of the session's database. */
async function refineAll(session: Session, { readings }: Readings): Promise<void> {
  const [own] = await session.client.query<{ id: string }>(
    'select oid::text as id from pg_database where datname = current_database()',
  );
  const refused = new Map<string, string>();
  const rows = (name: string) =>
    readings.get(name)?.flatMap((one) => one.rows.filter(({ dbid }) => String(dbid) === own?.id));
  for (const probe of everyProbe) {
    if (!('refine' in probe)) continue;
    for (const reading of readings.get(probe.name) ?? []) {
      const outcome = { kind: 'ran', collected_at: reading.collected_at, history_by: undefined } as const;
      const done = await refined(
        probe,
        { ...outcome, rows: [...reading.rows] },
        { session, parser, memory: { refused, rows } },
      );
      if (done.kind === 'ran') readings.set(probe.name, [{ ...reading, rows: wholeRows(done.rows) }]);
    }
  }
}

/** One run of each of these probes over the session, in its database. */
export async function readingsOf(
  session: Session,
  probes: readonly string[],
  username?: string,
): Promise<Readings> {
  const runs: ProbeRun[] = [];
  const found: Readings = { now: Date.now(), readings: new Map(), troubles: new Map(), runs };
  const ofHost = HOST_PROBES.filter(({ name }) => probes.includes(name));
  if (ofHost.length > 0) await readHost(session, ofHost, found);
  for (const name of probes) {
    if (ofHost.some((probe) => probe.name === name)) continue;
    const probe = probeNamed(name);
    const database_name = probe.level === 'D' ? session.database : '';
    const outcome = await runProbe(session, probe, username);
    runs.push(runOf(probe, database_name, outcome));
    if (outcome.kind === 'ran') {
      const { collected_at } = outcome;
      const rows = ofOwn(probe, outcome.rows, session.database);
      found.readings.set(name, [{ database_name, collected_at, rows }]);
    } else {
      const isNotApplicable = outcome.kind === 'skipped' && outcome.cause === 'not_applicable';
      const { reason: because, mend = null } = outcome;
      found.troubles.set(name, [{ database_name, because, mend, isNotApplicable }]);
    }
  }
  await refineAll(session, found);
  found.now = Date.now();
  return found;
}

/** As if it were judged so much later. */
export function judgeReadings(
  checks: readonly Check[],
  { now, readings, troubles, days, runs, plans }: Readings,
  at: { later?: number; members?: readonly Readings[] } = {},
): Verdict[] {
  const { later = 0, members = [] } = at;
  const others = members.map((member) => new Facts({ ...member, now: now + later }));
  const facts = new Facts(
    { now: now + later, readings, ...(days && { days }), ...(runs && { runs }), ...(plans && { plans }) },
    others,
  );
  return judgeAll(checks, {
    facts,
    troubles,
    onFailed: (_check, error) => {
      throw error;
    },
  });
}
