// What a question asks about, said before it is asked, with the way to more.
import { Name } from '../../ui/name.tsx';
import classes from './chat.module.css';
import type { Asking } from './page-scope.ts';

const KINDS = { estate: '', group: 'group ', cluster: 'cluster ', server: 'server ' } as const;

export function ScopeLine({ asking }: { asking: Asking }) {
  const { of, insteadOf, time, isAnyTime } = asking;
  const { kind } = of.scope;
  return (
    <section className={classes.scope} aria-label="What is asked about">
      <span>
        About {of.name.startsWith(KINDS[kind]) ? '' : KINDS[kind]}
        <strong>
          <Name>{of.name}</Name>
        </strong>
        {time === undefined ? null : isAnyTime ? ', of any time' : `, ${time}`}
      </span>
      {kind === 'estate' ? null : (
        <button type="button" className="link" onClick={() => asking.widen(true)}>
          Ask about the estate
        </button>
      )}
      {insteadOf ? (
        <button type="button" className="link" onClick={() => asking.widen(false)}>
          Back to <Name>{insteadOf.name}</Name>
        </button>
      ) : null}
      {time === undefined ? null : (
        <button type="button" className="link" onClick={() => asking.askOfAnyTime(!isAnyTime)}>
          {isAnyTime ? 'Only of the time shown' : 'Of any time'}
        </button>
      )}
    </section>
  );
}
