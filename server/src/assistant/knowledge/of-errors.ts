// Entries of error codes (SQLSTATE) and of their classes.
import type { Entry, Sources } from './types.ts';
import { spanWords, VERSIONS, versionsOf } from './versions.ts';

const KINDS: Readonly<Record<string, string>> = { E: 'An error', W: 'A warning', S: 'No error' };

export function errorEntries({ rows, textOf }: Sources): Entry[] {
  const byClass = Map.groupBy(rows, ({ code = '' }) => code.slice(0, 2));
  return [...byClass].flatMap(([name, codes]): Entry[] => [
    {
      kind: 'error class',
      name,
      also: [codes[0]?.section ?? ''],
      text: textOf(name),
      facts: [`A class of SQLSTATE codes, of ${codes.length}: ${codes.map(({ code }) => code).join(', ')}.`],
      versions: VERSIONS.filter((version) =>
        codes.some((row) => versionsOf(row.versions ?? '').includes(version)),
      ),
    },
    ...codes.map((row): Entry => {
      const { code = '', name: condition = '', kind = '', section = '' } = row;
      const versions = versionsOf(row.versions ?? '');
      const span = spanWords(versions);
      const facts = [
        `${KINDS[kind] ?? 'A code'} of the class ${name} (${section}); in PL/pgSQL the condition ${condition}.`,
        span && `There ${span}.`,
      ];
      return {
        ...{ kind: 'error code' as const, name: code, also: [condition], text: textOf(code), versions },
        facts: facts.filter((fact) => fact !== undefined),
      };
    }),
  ]);
}
