// What chats and assistants were asked to remember: one's own and what is for everybody. Pinned ones are told to every chat. Guards:
// what is for everybody is changed only by those who may.

import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import type { Result } from '../../../api/client.ts';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { cutText } from '../../../lib/inert-text.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { DeleteIcon, PinIcon, UnpinIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { AddMemory } from './add-memory.tsx';
import classes from './chat.module.css';
import { ConfirmDelete } from './confirm-delete.tsx';
import { useReturnFocus } from './use-return-focus.ts';

type Memory = Result<'listMemories'>['memories'][number];

/** All that one person can have, and all that there can be for everybody, fit twice. */
const MOST = 1000;
const SHORT = 60;

const shortOf = ({ content }: Memory) =>
  content.length > SHORT ? `${cutText(content, SHORT - 1)}…` : content;

/** Every word somewhere in it. */
function holds({ content, category, username }: Memory, search: string): boolean {
  const text = `${content}\n${category}\n${username}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Delete({ one, onKeep, onDeleted }: { one: Memory; onKeep: () => void; onDeleted: () => void }) {
  const remove = useOperationMutation('deleteMemory');
  return (
    <ConfirmDelete
      label={`Delete ${shortOf(one)}`}
      error={remove.error}
      isPending={remove.isPending}
      onSure={() => remove.mutate({ params: { id: one.id } }, { onSuccess: onDeleted })}
      onKeep={onKeep}
    >
      Forget this{one.scope === 'system' ? ' for all users' : ''}? It cannot be brought back.
    </ConfirmDelete>
  );
}

interface RowProps {
  one: Memory;
  mayChange: boolean;
  onDeleted: () => void;
}

function Row({ one, mayChange, onDeleted }: RowProps) {
  const pin = useOperationMutation('pinMemory');
  const [isDeleting, setDeleting] = useState(false);
  const place = useReturnFocus(isDeleting);
  const short = shortOf(one);
  const { id, pinned } = one;
  return (
    <>
      <div className={classes.row}>
        <div className={classes.open}>
          <p className={classes.memory}>
            <bdi>{one.content}</bdi>
          </p>
          <span className={layout.remark}>
            {pinned ? 'Pinned · ' : ''}
            <Name>{one.category}</Name>
            {one.scope === 'system' ? ' · for all users, by ' : ' · '}
            {one.scope === 'system' ? <Name>{one.username}</Name> : null}
            {one.scope === 'system' ? ' · ' : null}
            <RelativeTime at={one.updated_at} />
          </span>
        </div>
        {mayChange ? (
          <>
            <ActionIcon
              variant="subtle"
              aria-label={`Pin ${short}`}
              aria-pressed={pinned}
              title={pinned ? 'Pinned: added to every chat' : 'Pin: add it to every chat'}
              loading={pin.isPending}
              onClick={() => pin.mutate({ params: { id }, body: { pinned: !pinned } })}
            >
              {pinned ? <PinIcon size={15} /> : <UnpinIcon size={15} />}
            </ActionIcon>
            <ActionIcon
              ref={place}
              variant="subtle"
              aria-label={`Delete ${short}`}
              title="Delete"
              onClick={() => setDeleting(true)}
            >
              <DeleteIcon size={15} />
            </ActionIcon>
          </>
        ) : null}
      </div>
      <FormError error={pin.error} />
      {isDeleting ? <Delete one={one} onKeep={() => setDeleting(false)} onDeleted={onDeleted} /> : null}
    </>
  );
}

export interface MemoriesProps {
  /** A text to be remembered, which somebody may shorten first. */
  draft: string;
  onDraft: (draft: string) => void;
  onDeleted: () => void;
}

export function Memories({ draft, onDraft, onDeleted }: MemoriesProps) {
  const [search, setSearch] = useState('');
  const { data: user } = useUser();
  const mayChangeAll = mayUse(user, 'store_system_memory');
  const list = useOperation('listMemories', { query: { limit: MOST } });
  return (
    <section className={classes.turns} aria-label="Memories">
      <AddMemory draft={draft} onDraft={onDraft} mayAddForAll={mayChangeAll} />
      <SearchField label="Search memories" value={search} onChange={setSearch} />
      <Query query={list} what="your memories">
        {({ memories }) => {
          const found = memories.filter((one) => holds(one, search.trim()));
          return found.length === 0 ? (
            <EmptyState icon={<PinIcon size={26} />} title="No memories">
              {memories.length === 0
                ? 'What chats should know each time is kept here.'
                : 'None of them holds these words.'}
            </EmptyState>
          ) : (
            <ul className={classes.list}>
              {found.map((one) => (
                <li key={one.id}>
                  <Row one={one} mayChange={one.scope === 'user' || mayChangeAll} onDeleted={onDeleted} />
                </li>
              ))}
            </ul>
          );
        }}
      </Query>
    </section>
  );
}
