// Figures as Prometheus reads them: its text format 0.0.4, and OpenMetrics 1.0 for who asks for that. Pure.
import type { Figure, FigureValue } from './figures.ts';

export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const escaped = (text: string, also: RegExp) =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(also, '\\"');
const NOTHING = /(?!)/g;

function labelsOf({ labels = {} }: FigureValue): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value, /"/g)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function linesOf({ name, type, help, values }: Figure, isOpen: boolean): string[] {
  const known = values.filter(({ value }) => value !== null && Number.isFinite(value));
  if (known.length === 0) return [];
  // OpenMetrics describes a counter by its name without the ending that its samples have.
  const described = isOpen ? name.replace(/_total$/, '') : name;
  return [
    `# HELP ${described} ${isOpen ? escaped(help, /"/g) : escaped(help, NOTHING)}`,
    `# TYPE ${described} ${type}`,
    ...known.map((one) => `${name}${labelsOf(one)} ${one.value}`),
  ];
}

/** Whether the header Accept names OpenMetrics. */
export const wantsOpenMetrics = (accept: string | undefined): boolean =>
  accept?.includes('application/openmetrics-text') === true;

export function exposition(figures: readonly Figure[], isOpen: boolean): string {
  const lines = figures.flatMap((figure) => linesOf(figure, isOpen));
  return `${[...lines, ...(isOpen ? ['# EOF'] : [])].join('\n')}\n`;
}
