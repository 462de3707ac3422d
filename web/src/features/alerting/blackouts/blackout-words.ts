// Silences (blackouts of the API) made ready for reading and saving: what one is for, when it is, and what a form holds. Pure.
// Guards: times that are typed are those of the reader's clock, and what is sent is an instant.
import type { Input } from '../../../api/client.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { fieldInstant, fieldText, hourText } from '../../../lib/zone.ts';

export type Blackout = OperationTypes['listBlackouts']['result']['blackouts'][number];
export type Schedule = OperationTypes['listBlackoutSchedules']['result']['schedules'][number];
export type Scope = Blackout['scope'];

export const SCOPES = ['estate', 'group', 'cluster', 'server'] as const satisfies readonly Scope[];
export const SCOPE_WORDS: Record<Scope, string> = {
  estate: 'The whole estate',
  group: 'A group of clusters',
  cluster: 'A cluster',
  server: 'A server',
};

type Targeted = Pick<Blackout, 'scope' | 'target_name' | 'database_name'>;

/** "The whole estate", "Cluster orders", "shop on orders-primary". */
export function targetWords({ scope, target_name = '', database_name }: Targeted): string {
  if (scope === 'estate') return SCOPE_WORDS.estate;
  if (scope === 'group') return `Group ${target_name}`;
  if (scope === 'cluster') return `Cluster ${target_name}`;
  return database_name === undefined ? target_name : `${database_name} on ${target_name}`;
}

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** "20 Nov 2026 10:00", by the clock of the zone. */
export const dayAndHour = (at: number, zone: string): string =>
  `${day.format(Date.parse(`${fieldText(at, zone).slice(0, 10)}T00:00:00Z`))} ${hourText(at, zone)}`;

/** "20 Nov 2026 10:00 – 11:00"; the day stands twice only where it changes. */
export function spanWords(
  { start_time, end_time }: Pick<Blackout, 'start_time' | 'end_time'>,
  zone: string,
): string {
  const [from, to] = [Date.parse(start_time), Date.parse(end_time)];
  const isOneDay = fieldText(from, zone).slice(0, 10) === fieldText(to, zone).slice(0, 10);
  return `${dayAndHour(from, zone)} – ${isOneDay ? hourText(to, zone) : dayAndHour(to, zone)}`;
}

/** What a form says that something is for. */
export interface TargetDraft {
  scope: Scope;
  /** Of what the scope names; empty until it is chosen. */
  id: string;
  database: string;
}

export const ESTATE: TargetDraft = { scope: 'estate', id: '', database: '' };

const ID_OF = { group: 'group_id', cluster: 'cluster_id', server: 'connection_id' } as const;

export function targetDraft(of: Blackout | Schedule): TargetDraft {
  const id = of.scope === 'estate' ? undefined : of[ID_OF[of.scope]];
  return { scope: of.scope, id: id === undefined ? '' : String(id), database: of.database_name ?? '' };
}

export const isComplete = ({ scope, id }: TargetDraft): boolean => scope === 'estate' || id !== '';

export function targetBody({ scope, id, database }: TargetDraft) {
  if (scope === 'estate') return { scope };
  const named = { scope, [ID_OF[scope]]: Number(id) };
  return scope === 'server' ? { ...named, database_name: database.trim() } : named;
}

export interface BlackoutDraft {
  target: TargetDraft;
  /** As fields for date and time hold them. */
  start: string;
  end: string;
  reason: string;
}

/** Minutes without seconds: nobody plans by the second. */
export const minuteField = (at: number, zone: string): string => fieldText(at, zone).slice(0, 16);

export function newDraft(now: number, zone: string, target: TargetDraft): BlackoutDraft {
  return { target, start: minuteField(now, zone), end: minuteField(now + 3_600_000, zone), reason: '' };
}

/** What is wrong with it, as one sentence; undefined: nothing. */
export function draftFault(
  { target, start, end }: BlackoutDraft,
  now: number,
  zone: string,
): string | undefined {
  if (!isComplete(target)) return 'Choose what to silence.';
  const [from, to] = [fieldInstant(start, zone), fieldInstant(end, zone)];
  if (from === undefined || to === undefined) return 'Both times are needed, with date and hour.';
  if (to <= from) return 'The end must be after the start.';
  return to <= now ? 'The end must be in the future.' : undefined;
}

const iso = (field: string, zone: string) => new Date(fieldInstant(field, zone) ?? 0).toISOString();

export function draftBody(draft: BlackoutDraft, zone: string): Input<'createBlackout'>['body'] {
  const { target, start, end, reason } = draft;
  return {
    ...targetBody(target),
    start_time: iso(start, zone),
    end_time: iso(end, zone),
    reason: reason.trim(),
  };
}
