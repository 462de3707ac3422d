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
  servers: readonly SeenServer[];
}

/** Servers whose coverage is read for one reason each; the others share a sentence. */
const MOST_REASONS = 20;

const SEE = 'The coverage of the server shows the SQL that fixes it.';

/** What is known now of why a probe does not come; its time is over where it comes again. */
async function reasonOf(ctx: Ctx, { id }: SeenServer, probe: string): Promise<string> {
  const { probes } = await getConnectionCoverage(ctx, id);
  const entry = probes.find((one) => one.probe === probe);
  if (entry?.status === 'waiting' || !entry) return `${probe} was not read yet.`;
  if (entry.status === 'ok' || entry.reason === null) return `${probe} was not read in this time.`;
  return [entry.reason, ...(entry.mend === null ? [] : [SEE])].join(' ');
}

export async function notMeasured(ctx: Ctx, { kind, probe, servers }: Unmeasured): Promise<Gap[]> {
  const reasons = await Promise.all(
    servers.map(async (server, index) => ({
      server,
      reason:
        index < MOST_REASONS ? await reasonOf(ctx, server, probe) : `${probe} was not read in this time.`,
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
