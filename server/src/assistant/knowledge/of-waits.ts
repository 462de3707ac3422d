// Entries of wait events and of their classes.
import { shownCount } from '../../kernel/shown-value.ts';
import type { Entry, Sources } from './types.ts';
import { spanWords, VERSIONS, versionsOf } from './versions.ts';

export function waitEntries({ rows, textOf }: Sources): Entry[] {
  const byClass = Map.groupBy(rows, (row) => row.class ?? '');
  return [...byClass].flatMap(([name, events]): Entry[] => [
    {
      kind: 'wait event class',
      name,
      also: [],
      text: textOf(name),
      facts: [`A value of wait_event_type; ${shownCount(events.length, 'event')}.`],
      versions: VERSIONS.filter((version) =>
        events.some((row) => versionsOf(row.versions ?? '').includes(version)),
      ),
    },
    ...events.map((row): Entry => {
      const versions = versionsOf(row.versions ?? '');
      const span = spanWords(versions);
      const before = row.spelled_before_17 ?? '';
      const facts = [
        `A wait_event of the class ${name}.`,
        before === '' ? undefined : `Written ${before} until version 16.`,
        span && `There ${span}.`,
      ];
      return {
        ...{ kind: 'wait event' as const, name: row.name ?? '', versions },
        also: [name, ...(before === '' ? [] : before.split(' '))],
        text: textOf(`${name}/${row.name ?? ''}`),
        facts: facts.filter((fact) => fact !== undefined),
      };
    }),
  ]);
}
