// What is collected, and on a server whether it is on.

import { getProbeSettings, listProbes } from '../../estate/estate.ts';
import { demandConnection } from '../../identity/identity.ts';
import { object } from '../../kernel/schema.ts';
import { answer, type Section, second } from './support/answer.ts';
import { anyConnectionInput } from './support/inputs.ts';
import { defineTool, type ToolCtx } from './types.ts';

async function ofAll(ctx: ToolCtx): Promise<Section> {
  const probes = await listProbes(ctx);
  return {
    columns: ['name', 'enabled', 'interval_seconds', 'retention_days', 'switched_off_on', 'description'],
    rows: probes.map((one) => [
      ...[one.name, one.is_enabled, one.collection_interval_seconds, one.retention_days],
      ...[`${one.disabled_connections} of ${one.connections} servers`, one.description],
    ]),
    empty: 'There is no probe.',
  };
}

async function ofOne(ctx: ToolCtx, connection_id: number): Promise<Section> {
  await demandConnection(ctx, { connection_id, need: 'read' });
  const { probes } = await getProbeSettings(ctx, connection_id);
  return {
    columns: ['name', 'enabled', 'interval_seconds', 'retention_days', 'set_by', 'why_off', 'description'],
    rows: probes.map((one) => [
      ...[one.name, one.is_enabled, one.collection_interval_seconds, one.retention_days],
      ...[one.level, one.reason, one.description],
    ]),
    empty: 'There is no probe.',
  };
}

export const tool = defineTool({
  name: 'list_probes',
  title: 'Probes',
  summary: 'What is collected from servers, how often, and how long it is kept.',
  description:
    'Lists the probes: each reads one thing of a server at an interval, such as pg_stat_database. With connection_id it says what is switched on there. describe_probe tells the columns of one, query_metrics its figures; get_coverage says whether it works on a server.',
  cost: 'One or two statements on our datastore.',
  privilege: { id: 6, description: 'List what is collected' },
  most_statements: 2,
  examples: [
    { ask: 'What is collected?', input: {} },
    { ask: 'What is collected from server 1?', input: { connection_id: 1 } },
  ],
  input: object(anyConnectionInput),
  async run(ctx, { connection_id }) {
    const section = await (connection_id === undefined ? ofAll(ctx) : ofOne(ctx, connection_id));
    return answer(ctx, {
      about: connection_id === undefined ? 'Probes' : `Probes of connection ${connection_id}`,
      source: `settings in force at ${second(ctx.clock.now())}`,
      page: connection_id === undefined ? '/probes' : `/servers/${connection_id}?tab=probes`,
      sections: [section],
    });
  },
});
