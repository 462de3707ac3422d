// Tags of servers on the estate: a few in each row, and all of them to choose one that servers must have. Which one stands in the
// address.
import { NativeSelect } from '@mantine/core';
import type { EstateServer } from '../../../api/types.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { typed } from '../../../ui/field.ts';
import classes from './tags.module.css';

const SHOWN = 2;

/** The tag that shown servers have; empty: all servers are shown. */
export const useTag = () => useUrlText('tag');

export const hasTag = (server: EstateServer, tag: string): boolean =>
  tag === '' || (server.tags ?? []).includes(tag);

export function Tags({ server: { tags = [] } }: { server: EstateServer }) {
  const [chosen, setTag] = useTag();
  if (tags.length === 0) return null;
  return (
    <div className={classes.tags} title={tags.join(', ')}>
      {tags.slice(0, SHOWN).map((tag) => (
        <button
          key={tag}
          type="button"
          className={classes.tag}
          aria-label={`Only servers tagged ${tag}`}
          aria-pressed={tag === chosen}
          onClick={() => setTag(tag === chosen ? '' : tag)}
        >
          <bdi>{tag}</bdi>
        </button>
      ))}
      {tags.length > SHOWN ? <span className={classes.more}>+{tags.length - SHOWN}</span> : null}
    </div>
  );
}

/** Nothing while no server has a tag, and none was asked for. */
export function TagChoice({ servers }: { servers: readonly EstateServer[] }) {
  const [chosen, setTag] = useTag();
  const tags = new Set(servers.flatMap(({ tags: own = [] }) => own));
  if (chosen !== '') tags.add(chosen);
  if (tags.size === 0) return null;
  return (
    <NativeSelect
      aria-label="Tag"
      size="xs"
      data={[{ value: '', label: 'Every tag' }, ...[...tags].sort()]}
      {...typed(chosen, setTag)}
    />
  );
}
