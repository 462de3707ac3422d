// What a question asks about, said before it is asked, with the way to more.
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import { Name } from '../../../ui/name.tsx';
import classes from './chat.module.css';
import type { Asking } from './page-scope.ts';

const KINDS = { estate: '', group: 'group ', cluster: 'cluster ', server: 'server ' } as const;

export interface ScopeLineProps {
  asking: Asking;
  /** Of a question that was refused: what it was to explain, which goes along when it is asked again. */
  about: AboutQuestion | undefined;
  leaveOut: () => void;
}

export function ScopeLine({ asking, about, leaveOut }: ScopeLineProps) {
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
      {about ? (
        <button type="button" className="link" onClick={leaveOut}>
          Leave out the {about.about.kind.replaceAll('_', ' ')} that it was about
        </button>
      ) : null}
    </section>
  );
}
