// From where a right comes, in words: each origin on a line of its own.

import { LEVEL_WORDS } from '../auth/rights.ts';
import type { Origin, ScopeName } from './effective-access.ts';
import classes from './rights-table.module.css';

function words(origin: Origin, here: string): string {
  switch (origin.kind) {
    case 'superuser':
      return 'Superuser';
    case 'owner':
      return 'Owner';
    case 'shared':
      return 'Shared with all users';
    case 'public':
      return 'Open to all users';
    case 'unnamed':
      return 'A group above; which one is not for you to see';
    case 'group':
      return origin.chain.length === 0 ? here : origin.chain.join(' › ');
  }
}

const throughWords = ({ scope, name }: ScopeName) =>
  `through ${scope === 'cluster' ? 'cluster' : 'server group'} ${name}`;

export interface OriginListProps {
  origins: readonly Origin[];
  /** How a grant of the thing itself is called. */
  here?: string;
}

export function OriginList({ origins, here = 'Granted' }: OriginListProps) {
  return (
    <ul className={classes.origins}>
      {origins.map((origin) => {
        const text = words(origin, here);
        const level = origin.level ? LEVEL_WORDS[origin.level].toLowerCase() : '';
        const all = level === '' ? 'everything' : 'on every server';
        const wildcard = origin.kind === 'group' && origin.wildcard ? all : '';
        const through = origin.kind === 'group' && origin.through ? throughWords(origin.through) : '';
        const more = [level, wildcard, through].filter(Boolean).join(' ');
        return (
          <li key={`${text} ${more}`} className={classes.origin}>
            <bdi>{text}</bdi>
            {more === '' ? null : ` (${more})`}
          </li>
        );
      })}
    </ul>
  );
}
