// Why nothing is said of a kind of event on some servers: what they are judged by was not measured within the time. Access to the
// servers has been checked. Guards: what was not measured is not taken for nothing that happened.

import { getConnectionCoverage } from '../../estate/estate.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Static } from '../../kernel/schema.ts';
import { listed } from './change-titles.ts';
import type { HappenedGap } from './happened.schemas.ts';
import type { SeenServer } from './timeline.queries.ts';

type Gap = Static<typeof HappenedGap>;

export interface Unmeasured {
  kind: Gap['kind'];
  probe: string;
  /** What is missing, of the probe: a setting that others of its metrics need is no reason. */
  metrics: readonly string[];
  servers: readonly SeenServer[];
}

/** Servers whose coverage is read for one reason each; the others share a sentence. */
const MOST_REASONS = 20;

const SEE = 'The coverage of the server shows the SQL that fixes it.';

const notRead = (probe: string) => `${probe} was not read in this time.`;

type Entry = Awaited<ReturnType<typeof getConnectionCoverage>>['probes'][number];

function lackOf({ status, reason, lacking = [] }: Entry, wanted: readonly string[]): string | null {
  if (status !== 'incomplete') return reason;
  const about = lacking.find(
    ({ metrics }) => metrics === null || metrics.some((one) => wanted.includes(one)),
  );
  return about?.reason ?? null;
}

/** What is known now of why a probe does not come; its time is over where it comes again. */
async function reasonOf(ctx: Ctx, { id }: SeenServer, { probe, metrics }: Unmeasured): Promise<string> {
  const { probes } = await getConnectionCoverage(ctx, id);
  const entry = probes.find((one) => one.probe === probe);
  if (entry?.status === 'waiting' || !entry) return `${probe} was not read yet.`;
  const reason = lackOf(entry, metrics);
  if (entry.status === 'ok' || reason === null) return notRead(probe);
  return [reason, ...(entry.mend === null ? [] : [SEE])].join(' ');
}

export async function notMeasured(ctx: Ctx, asked: Unmeasured): Promise<Gap[]> {
  const { kind, probe, servers } = asked;
  const reasons = await Promise.all(
    servers.map(async (server, index) => ({
      server,
      reason: index < MOST_REASONS ? await reasonOf(ctx, server, asked) : notRead(probe),
    })),
  );
  return [...Map.groupBy(reasons, ({ reason }) => reason)].map(([reason, all]) => {
    const names = listed(
      all.map(({ server }) => server.name),
      all.length,
    );
    return { kind, reason: `Not measured on ${names}: ${reason}` };
  });
}
