// What runs out: disks, ids, sequences, slots and connections, with the day.
import type { Ctx } from '../../../identity/identity.ts';
import { listRunway } from '../../../insight/insight.ts';
import { DAY_MS } from '../../../kernel/units.ts';
import { firstOf } from '../answer-texts.ts';
import type { AnswerInput, Point, Question, RuleAnswer } from '../answers.types.ts';

const SOON_DAYS = 14;
const NEAR_DAYS = 60;
const MOST = 100;

type Item = Awaited<ReturnType<typeof listRunway>>['items'][number];

const dayOf = (at: string) => at.slice(0, 10);

function pointOf(item: Item, now: number): Point {
  const { kind, object_name, database_name, runs_out_at, earliest_at, latest_at, found_at } = item;
  const days = runs_out_at === null ? Number.POSITIVE_INFINITY : (Date.parse(runs_out_at) - now) / DAY_MS;
  const severity = days <= SOON_DAYS ? 'critical' : days <= NEAR_DAYS ? 'warning' : 'info';
  const what = `${kind.replaceAll('_', ' ')}${object_name === null ? '' : ` ${object_name}`}`;
  const band = `between ${earliest_at === null ? 'now' : dayOf(earliest_at)} and ${latest_at === null ? 'further away than can be told' : dayOf(latest_at)}`;
  return {
    kind: 'runway',
    name: kind,
    severity,
    says: `Of the ${what} nothing is left on ${runs_out_at === null ? 'an unknown day' : dayOf(runs_out_at)} (${band}), if it goes on as it does.`,
    advice: item.limited_by === null ? null : `It is limited by ${item.limited_by}.`,
    sql: null,
    about: object_name ?? database_name,
    since: null,
    as_of: found_at,
    path: '/runway',
  };
}

async function answer(ctx: Ctx, { connection_id, to }: AnswerInput): Promise<RuleAnswer> {
  const { items, waiting } = await listRunway(ctx, { connection_id, limit: MOST });
  const points = items.filter(({ state }) => state === 'runs_out').map((item) => pointOf(item, to));
  const unknown = items
    .filter(({ state }) => state === 'unknown')
    .map(({ kind, object_name, reason }) => ({
      about: `${kind.replaceAll('_', ' ')}${object_name === null ? '' : ` ${object_name}`}`,
      because: reason ?? 'Too few days were collected.',
      mend: null,
    }));
  if (waiting > 0)
    unknown.push({
      about: 'All of it',
      because: 'What runs out is found every three hours, and was not found yet for this server.',
      mend: null,
    });
  const nothing = waiting > 0 ? 'What runs out was not found yet.' : 'Nothing is known to run out.';
  return { points, unknown, summary: points.length === 0 ? nothing : firstOf(points) };
}

export const question: Question = {
  name: 'what_runs_out',
  asked: 'What runs out?',
  says: 'Disks, tablespaces, transaction ids, sequences, replication slots and connections, with the day they are full.',
  hours: 24,
  answer,
};
