// What the charts of a page share: their grid and clock, what happened meanwhile, and the moment that is pointed at.
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Comparison, Window } from '../../lib/time-window.ts';
import type { Grid } from './series.ts';

export interface ChartEvent {
  id: string;
  at: number;
  title: string;
  /** An alert that fired: how severe it is. */
  severity?: 'info' | 'warning' | 'critical' | undefined;
}

interface Shared {
  grid: Grid;
  /** Name of the zone by whose clock moments are said. */
  zone: string;
  events: readonly ChartEvent[];
  /** Shows another window on the whole page. */
  onWindow: (window: Window) => void;
  /** Another window that charts show beside this one. */
  compare?: Comparison | undefined;
  /** A moment of which the page shows the state. */
  chosen?: number | undefined;
  /** Chooses one: a click, or Enter. Absent: the page shows no moments. */
  onMoment?: ((moment: number) => void) | undefined;
}

interface Pointed {
  /** Milliseconds since 1970; undefined while nothing is pointed at. */
  moment: number | undefined;
  point: (moment: number | undefined) => void;
}

const SharedContext = createContext<Shared | undefined>(undefined);
const PointedContext = createContext<Pointed | undefined>(undefined);

export function ChartPage({ children, ...props }: Shared & { children: ReactNode }) {
  const { grid, zone, events, onWindow, compare, chosen, onMoment } = props;
  const [moment, point] = useState<number>();
  const shared = useMemo(
    () => ({ grid, zone, events, onWindow, compare, chosen, onMoment }),
    [grid, zone, events, onWindow, compare, chosen, onMoment],
  );
  const pointed = useMemo(() => ({ moment, point }), [moment]);
  return (
    <SharedContext.Provider value={shared}>
      <PointedContext.Provider value={pointed}>{children}</PointedContext.Provider>
    </SharedContext.Provider>
  );
}

export function useChartPage(): Shared & Pointed {
  const shared = useContext(SharedContext);
  const pointed = useContext(PointedContext);
  if (!shared || !pointed) throw new Error('A chart needs a ChartPage around it.');
  return { ...shared, ...pointed };
}
