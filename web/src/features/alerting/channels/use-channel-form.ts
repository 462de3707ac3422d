// The state of a channel's form: the draft, what is wrong with it at which field, and which message is being written.
// Guards: a refusal stands at the field that it names and takes nothing away that was typed.
import { useState } from 'react';
import type { ApiError } from '../../../api/client.ts';
import {
  type Draft,
  draftForType,
  draftOf,
  type HeaderDraft,
  type Problems,
  problemsOf,
  refusalOf,
  TEMPLATES,
  type TemplateName,
} from './channel-draft.ts';
import type { Channel, ChannelType } from './channel-words.ts';

export interface FormStart {
  types: readonly ChannelType[];
  first: ChannelType;
  channel?: Channel | undefined;
  /** What the server said against what was sent last. */
  error: ApiError | null;
}

interface Refused {
  problems: Problems;
  /** What stands at no field. */
  rest: string | undefined;
}

function refusedBy(error: ApiError | null, type: ChannelType): Refused {
  if (error === null) return { problems: {}, rest: undefined };
  const others = ['name', 'description', 'reminder_interval_hours', ...TEMPLATES];
  const { fields, words } = refusalOf(error.message, [...type.members.map(({ name }) => name), ...others]);
  if (error.status >= 500 || fields.length === 0) return { problems: {}, rest: error.message };
  return { problems: Object.fromEntries(fields.map((name) => [name, words])), rest: undefined };
}

/** What a field of the form holds, to see whether it was changed. */
function textIn(draft: Draft, name: string): string {
  const { members, templates, headers } = draft;
  if (name === 'headers') return JSON.stringify(headers);
  return String(members[name] ?? Reflect.get(templates, name) ?? Reflect.get(draft, name) ?? '');
}

let lastHeader = 0;

export function useChannelForm({ types, first, channel, error }: FormStart) {
  const [type, setType] = useState(first);
  const [initial] = useState(() => draftOf(first, channel));
  const [draft, setDraft] = useState(initial);
  const [tried, setTried] = useState(false);
  /** What was sent last. */
  const [sent, setSent] = useState(initial);
  const [written, setWritten] = useState<TemplateName>('template_alert_fire');
  const refused = refusedBy(error, type);
  const own = problemsOf(type, draft, channel);
  /** What the server refused stands until it is changed. */
  const unchanged = Object.entries(refused.problems).filter(
    ([name]) => textIn(sent, name) === textIn(draft, name),
  );
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  const setHeaders = (next: (before: readonly HeaderDraft[]) => HeaderDraft[]) =>
    setDraft((before) => ({ ...before, headers: next(before.headers) }));
  return {
    type,
    channel,
    initial,
    draft,
    written,
    setWritten,
    change,
    rest: refused.rest,
    problems: tried ? { ...Object.fromEntries(unchanged), ...own } : {},
    chooseType(name: string) {
      const chosen = types.find(({ channel_type }) => channel_type === name);
      if (!chosen) return;
      setType(chosen);
      setDraft((before) => draftForType(before, chosen));
      setTried(false);
    },
    changeMember: (name: string, value: string) =>
      setDraft((before) => ({
        ...before,
        members: { ...before.members, [name]: value },
        cleared: before.cleared.filter((one) => one !== name || value === ''),
      })),
    clear: (name: string, isCleared: boolean) =>
      setDraft((before) => ({
        ...before,
        cleared: [...before.cleared.filter((one) => one !== name), ...(isCleared ? [name] : [])],
      })),
    addHeader() {
      lastHeader += 1;
      const key = `new-${lastHeader}`;
      setHeaders((before) => [...before, { key, name: '', value: '', isStored: false }]);
    },
    changeHeader: (key: string, next: Partial<Pick<HeaderDraft, 'name' | 'value'>>) =>
      setHeaders((before) => before.map((one) => (one.key === key ? { ...one, ...next } : one))),
    removeHeader: (key: string) => setHeaders((before) => before.filter((one) => one.key !== key)),
    /** Whether it can be sent; what is wrong is shown from now on. */
    check(): boolean {
      setTried(true);
      setSent(draft);
      return Object.keys(own).length === 0;
    },
  };
}

export type ChannelForm = ReturnType<typeof useChannelForm>;
