// Entries of system views: what their columns are, and which versions have them.
import type { Entry, Sources } from './types.ts';
import { spanWords, versionsOf } from './versions.ts';

/** `query_id:14-19` as `query_id (since version 14)`. */
function columnWords(written: string): string {
  const [name = '', versions] = written.split(':');
  const span = versions === undefined ? undefined : spanWords(versionsOf(versions));
  return span === undefined ? name : `${name} (${span})`;
}

export const viewEntries = ({ rows, textOf }: Sources): Entry[] =>
  rows.map((row) => {
    const { name = '', columns = '' } = row;
    const versions = versionsOf(row.versions ?? '');
    const span = spanWords(versions);
    const written = columns.split(' ');
    return {
      ...{ kind: 'view' as const, name, text: textOf(name), versions },
      also: written.map((one) => one.split(':')[0] ?? ''),
      facts: [`Columns: ${written.map(columnWords).join(', ')}.`, ...(span ? [`There ${span}.`] : [])],
    };
  });
