// Tabs whose choice stands in the address. Links instead of a tab list: each view has an address of its own, opens in
// a new tab of the browser, and needs no special keys. The time that is shown stays from view to view.
import { useEffect, useRef } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { timeOf } from '../lib/time-window.ts';
import classes from './tabs.module.css';

export interface Tab {
  key: string;
  title: string;
  /** The first of a group: set apart from those before it. */
  isFirst?: boolean | undefined;
  /** A count beside the title. */
  count?: number | undefined;
  /** The count asks for attention; said in words too. */
  attention?: string | undefined;
}

/** More stand closer together, so that they have room in one line. */
const MANY = 10;

export function Tabs({ tabs, here, label }: { tabs: readonly Tab[]; here: string; label: string }) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const isMany = tabs.length > MANY;
  const strip = useRef<HTMLElement>(null);
  const isMoved = useRef(false);
  const first = tabs[0]?.key;
  // On narrow screens the strip scrolls; the tab one is on has to be seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is the event
  useEffect(() => {
    // It stands at its beginning until it was moved; to ask where something is costs a layout of the page.
    if (here === first && !isMoved.current) return;
    isMoved.current = true;
    const chosen = strip.current?.querySelector<HTMLElement>('[aria-current]');
    if (strip.current && chosen) strip.current.scrollLeft = chosen.offsetLeft - 48;
  }, [here]);
  const addressOf = (key: string) => {
    const next = timeOf(search);
    if (key !== first) next.set('tab', key);
    return { search: next.toString() };
  };
  return (
    <nav ref={strip} className={classes.tabs} aria-label={label} data-many={isMany || undefined}>
      {isMany ? (
        <select
          className={classes.choice}
          aria-label={label}
          value={here}
          onChange={(event) => void navigate(addressOf(event.target.value), { preventScrollReset: true })}
        >
          {tabs.map(({ key, title, count }) => (
            <option key={key} value={key}>
              {count === undefined ? title : `${title} (${count})`}
            </option>
          ))}
        </select>
      ) : null}
      {tabs.map((tab) => (
        <Link
          key={tab.key}
          to={addressOf(tab.key)}
          preventScrollReset
          className={classes.tab}
          data-first={tab.isFirst || undefined}
          aria-current={tab.key === here ? 'page' : undefined}
        >
          {tab.title}
          {tab.count === undefined ? null : (
            <span className={classes.count} data-attention={tab.attention ? true : undefined}>
              {tab.count}
              {tab.attention ? <span className="visually-hidden"> {tab.attention}</span> : null}
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
