// What is going on with all servers, in a few sentences: streamed, with who wrote it and when. It takes the same room in
// every state, so that nothing under it moves.
import { useState, useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { AiIcon } from '../../../ui/icons.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import classes from './overview-strip.module.css';
import { type StreamedOverview, useOverview } from './use-overview.ts';

/** How the server ends what rules wrote. */
const BY_RULES = / ?Written by rules from what is stored, ([^.]*)\.$/;

interface Written {
  text: string;
  author: string;
}

function writtenOf(summary: string): Written {
  const [whole, how] = BY_RULES.exec(summary) ?? [];
  if (whole === undefined) return { text: summary, author: 'Written by a model' };
  return {
    text: summary.slice(0, -whole.length),
    author: how?.startsWith('since') ? 'Written by rules, as the model gave no answer' : 'Written by rules',
  };
}

function Origin({ author, at, staleAt }: { author: string; at: string; staleAt: string }) {
  const isOld = useSyncExternalStore(subscribeToSeconds, currentSecond) * 1000 > Date.parse(staleAt);
  return (
    <p className={classes.origin} data-old={isOld || undefined}>
      {author} <RelativeTime at={at} />
      {isOld ? '; a newer one is due' : null}
    </p>
  );
}

function Words({ overview, error }: StreamedOverview) {
  const [isOpen, setOpen] = useState(false);
  if (overview === undefined)
    return (
      <p className={classes.origin}>{error ? `No overview: ${error.message}` : 'Reading the overview …'}</p>
    );
  if ('status' in overview || overview.summary === null)
    return (
      <p className={classes.origin}>
        {'status' in overview && overview.status === 'generating'
          ? 'The overview is being written …'
          : 'There is nothing to describe yet.'}
      </p>
    );
  const { text, author } = writtenOf(overview.summary);
  return (
    <>
      <p className={classes.text} data-open={isOpen || undefined}>
        {text}
      </p>
      <div className={classes.foot}>
        <Origin author={author} at={overview.generated_at} staleAt={overview.stale_at} />
        {error ? <span className={classes.origin}>No newer one comes: {error.message}</span> : null}
        <button
          type="button"
          className={classes.more}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      </div>
    </>
  );
}

export function OverviewStrip() {
  const state = useOverview();
  return (
    <section className={classes.strip} aria-label="Overview">
      <AiIcon size={18} aria-hidden="true" className={classes.icon} />
      <div className={classes.words}>
        <Words {...state} />
      </div>
    </section>
  );
}
