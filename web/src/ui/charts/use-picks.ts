// Which lines of a chart are shown alone: a click chooses one, with Shift one more; the same again shows all.
import { useMemo, useState } from 'react';

const NONE: readonly string[] = [];

export interface Picks {
  /** Names of the lines that are shown alone; none: all are shown. */
  only: readonly string[];
  onOnly: (name: string, isMore: boolean) => void;
}

export function usePicks(names: readonly string[]): Picks {
  const [chosen, setChosen] = useState(NONE);
  // Those that have gone meanwhile hide no others.
  const only = useMemo(() => chosen.filter((name) => names.includes(name)), [chosen, names]);
  const onOnly = (name: string, isMore: boolean) => {
    const isChosen = only.includes(name);
    if (isMore) setChosen(isChosen ? only.filter((one) => one !== name) : [...only, name]);
    else setChosen(isChosen && only.length === 1 ? NONE : [name]);
  };
  return { only, onOnly };
}
