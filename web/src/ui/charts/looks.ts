// How the lines of a chart are told apart: by colour, and without it by their dashes.
const DASHES = [undefined, '7 4', '2 3', '9 3 2 3', '12 3'] as const;
const COLOURS = 12;

export interface Look {
  /** A custom property of tokens.css. */
  colour: string;
  dash: string | undefined;
  /** Of another window: thin beside the others. */
  isThin: boolean;
}

const COMPARED_DASH = '4 3';

/** The look of a series: a fixed one stays when others come and go. */
export function lookOfSeries(series: Looked, index: number): Look {
  const look = lookOf(series.look ?? index, series.comparedTo);
  // Areas are solid: each has its colour and its place in the stack; dashes are for limits and comparisons.
  return series.lower === undefined ? look : { ...look, dash: undefined };
}

interface Looked {
  look?: number;
  comparedTo?: number;
  /** It is an area on top of others. */
  lower?: readonly unknown[];
}

/**
 * Twelve colours, the first five with dashes of their own as well; beyond twelve lines differ in colour or dashes. A line of another
 * window has the colour of its own one, and is thin and dashed.
 */
function lookOf(index: number, comparedTo?: number): Look {
  const own = comparedTo ?? index;
  return {
    colour: `--series-${(own % COLOURS) + 1}`,
    dash:
      comparedTo === undefined ? DASHES[(own + Math.floor(own / COLOURS)) % DASHES.length] : COMPARED_DASH,
    isThin: comparedTo !== undefined,
  };
}
