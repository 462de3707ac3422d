// Findings in words. Pure. Guards: a figure is never shown without its unit; what is
// muted or resolved is never called open; names and figures of servers are texts, whatever they hold.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { formatBytes, formatCount } from '../../../lib/format.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import type { Mark } from '../../../ui/status.tsx';

export type Finding = OperationTypes['listFindings']['result']['findings'][number];
export type FindingDetail = OperationTypes['getFinding']['result'];
export type UnknownCheck = OperationTypes['listConnectionFindings']['result']['unknown'][number];
export type CheckScore = OperationTypes['listChecks']['result'][number];
export type Severity = Finding['severity'];
export type State = Finding['state'];
export type Category = Finding['category'];

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];
export const SEVERITY_WORDS: Record<Severity, { label: string; mark: Mark }> = {
  critical: { label: 'Critical', mark: 'failed' },
  warning: { label: 'Warning', mark: 'warning' },
  info: { label: 'Info', mark: 'info' },
};

export const STATES = ['open', 'muted', 'resolved'] as const satisfies readonly State[];
export const STATE_WORDS: Record<State, string> = { open: 'Open', muted: 'Muted', resolved: 'Resolved' };

export const CATEGORY_WORDS: Record<Category, string> = {
  indexes: 'Indexes',
  vacuum: 'Vacuum',
  statements: 'Statements',
  settings: 'Settings',
  replication: 'Replication',
  connections: 'Connections',
  storage: 'Storage',
  security: 'Security',
  versions: 'Versions',
  coverage: 'Coverage',
};

export const PROOF_WORDS: Record<Finding['proof'], { label: string; meaning: string }> = {
  stated: { label: 'Stated', meaning: 'The server says so itself.' },
  measured: { label: 'Measured', meaning: 'It was counted over a window of time.' },
  tried: { label: 'Tried', meaning: 'It was tried on the server, as by EXPLAIN.' },
  confirmed: { label: 'Confirmed', meaning: 'After the change the figure moved as promised.' },
};

export const findingPath = (id: number): string => `/findings/${id}`;

/** The object and the database that it is about; empty: the server as a whole. */
export const placeWords = ({ object_name, database_name }: Pick<Finding, 'object_name' | 'database_name'>) =>
  [object_name, database_name].filter((part) => part !== null).join(' in ');

/** "214 MB"; undefined where there is no figure. */
export const figureWords = (
  figure: number | null,
  { figure_unit }: Pick<Finding, 'figure_unit'>,
): string | undefined => formatValue(figure, figure_unit ?? '');

/** Why some checks could not be judged; what mends one of them mends all. */
export interface Reason {
  because: string;
  mend: string | null;
  databases: string[];
  titles: string[];
}

/** Each reason once: those that can be mended first, of these what mends most. */
export function reasonsOf(unknown: readonly UnknownCheck[]): Reason[] {
  const groups = Map.groupBy(unknown, ({ because, mend }) => `${because}\n${mend ?? ''}`);
  const unique = (texts: readonly string[]) => [...new Set(texts)].sort((a, b) => a.localeCompare(b));
  return [...groups.values()]
    .flatMap((own) => {
      const { because, mend } = own[0] ?? {};
      if (because === undefined || mend === undefined) return [];
      const databases = unique(own.flatMap(({ database_name }) => database_name ?? []));
      return [{ because, mend, databases, titles: unique(own.map(({ title }) => title)) }];
    })
    .sort((a, b) => Number(a.mend === null) - Number(b.mend === null) || b.titles.length - a.titles.length);
}

const BYTES = /(^|_)(size|bytes)$/;

/** A value of the evidence as text; undefined: not known. */
export function evidenceText(name: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return BYTES.test(name) ? formatBytes(value) : plainNumber(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const plainNumber = (value: number): string =>
  Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(6)));

/** `index_size` → "index size". */
export const evidenceName = (name: string): string => name.replaceAll('_', ' ');

/** What the remedy brought, against what was promised; undefined where nobody can tell. */
export interface Effect {
  before: string;
  promised: string;
  after: string | undefined;
  isConfirmed: boolean;
}

export function effectOf({
  finding,
  first_figure,
  promised,
  figure_after,
}: FindingDetail): Effect | undefined {
  if (finding.state !== 'resolved' && finding.resolved_at === null) return undefined;
  const before = figureWords(first_figure ?? finding.figure, finding);
  const target = figureWords(promised, finding);
  if (before === undefined || target === undefined) return undefined;
  return {
    before,
    promised: target,
    after: figureWords(figure_after, finding),
    isConfirmed: finding.proof === 'confirmed',
  };
}

/** A page on the web, where the address is one; the text of a server never becomes a link. */
export function webAddress(text: string): string | undefined {
  try {
    const { protocol, href } = new URL(text);
    return protocol === 'https:' ? href : undefined;
  } catch {
    return undefined;
  }
}
