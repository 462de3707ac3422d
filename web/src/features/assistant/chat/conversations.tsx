// The conversations of whoever is signed in, newest first: searched by words, opened, renamed in their place, deleted after a
// question.
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import type { Result } from '../../../api/client.ts';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { useSettled } from '../../../lib/use-settled.ts';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { AiIcon, DeleteIcon, EditIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import classes from './chat.module.css';
import { ConfirmDelete } from './confirm-delete.tsx';
import { useReturnFocus } from './use-return-focus.ts';

type Summary = Result<'listConversations'>['conversations'][number];

const PAGE = 50;
const MOST = 100;
const MOST_TITLE = 255;

interface RowProps {
  one: Summary;
  isCurrent: boolean;
  onOpen: () => void;
  onDeleted: () => void;
}

function Rename({ one, onClose }: { one: Summary; onClose: () => void }) {
  const rename = useOperationMutation('renameConversation');
  const [title, setTitle] = useState(one.title);
  const save = () => {
    if (title.trim() === '') return;
    const to = { params: { id: one.id }, body: { title: title.trim() } };
    rename.mutate(to, { onSuccess: onClose });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) save();
    if (event.key !== 'Escape') return;
    // The panel stays.
    event.stopPropagation();
    onClose();
  };
  return (
    <>
      <TextInput
        aria-label={`New title of ${one.title}`}
        maxLength={MOST_TITLE}
        autoFocus
        {...typed(title, setTitle)}
        onKeyDown={onKey}
      />
      <FormError error={rename.error} />
      <div className={classes.buttons}>
        <Button size="compact-sm" loading={rename.isPending} onClick={save}>
          Rename
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </>
  );
}

interface DeleteProps {
  one: Summary;
  onClose: () => void;
  onDeleted: () => void;
}

function Delete({ one, onClose, onDeleted }: DeleteProps) {
  const remove = useOperationMutation('deleteConversation');
  return (
    <ConfirmDelete
      label={`Delete ${one.title}`}
      error={remove.error}
      isPending={remove.isPending}
      onSure={() => remove.mutate({ params: { id: one.id } }, { onSuccess: onDeleted })}
      onKeep={onClose}
    >
      Delete <Name>{one.title}</Name> with all of its answers? It cannot be brought back.
    </ConfirmDelete>
  );
}

function Row({ one, isCurrent, onOpen, onDeleted }: RowProps) {
  const [act, setAct] = useState<'rename' | 'delete'>();
  const place = useReturnFocus(act !== undefined);
  const close = () => setAct(undefined);
  if (act === 'rename') return <Rename one={one} onClose={close} />;
  if (act === 'delete') return <Delete one={one} onClose={close} onDeleted={onDeleted} />;
  const says = one.preview.startsWith(one.title) ? '' : one.preview;
  return (
    <div className={classes.row}>
      <button
        ref={place}
        type="button"
        className={classes.open}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onOpen}
      >
        <bdi className={classes.title}>{one.title}</bdi>
        <span className={layout.remark}>
          <RelativeTime at={one.updated_at} />
          {says === '' ? null : <> · {says}</>}
        </span>
      </button>
      <ActionIcon
        variant="subtle"
        aria-label={`Rename ${one.title}`}
        title="Rename"
        onClick={() => setAct('rename')}
      >
        <EditIcon size={15} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label={`Delete ${one.title}`}
        title="Delete"
        onClick={() => setAct('delete')}
      >
        <DeleteIcon size={15} />
      </ActionIcon>
    </div>
  );
}

export interface ConversationsProps {
  current: string | undefined;
  onOpen: (id: string) => void;
  onDeleted: (id: string) => void;
}

export function Conversations({ current, onOpen, onDeleted }: ConversationsProps) {
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const wanted = useSettled(search.trim());
  const query = { limit, ...(wanted !== '' && { search: wanted }) };
  const list = useOperation('listConversations', { query }, { keepPrevious: true });
  return (
    <section className={classes.turns} aria-label="Conversations">
      <SearchField label="Search conversations" value={search} onChange={setSearch} />
      <Query query={list} what="your conversations">
        {({ conversations }) =>
          conversations.length === 0 ? (
            <EmptyState icon={<AiIcon size={26} />} title="No conversations">
              {wanted === '' ? 'What you ask is kept here.' : 'None of yours holds these words.'}
            </EmptyState>
          ) : (
            <>
              <ul className={classes.list}>
                {conversations.map((one) => (
                  <li key={one.id}>
                    <Row
                      one={one}
                      isCurrent={one.id === current}
                      onOpen={() => onOpen(one.id)}
                      onDeleted={() => onDeleted(one.id)}
                    />
                  </li>
                ))}
              </ul>
              {conversations.length === limit && limit < MOST ? (
                <Button variant="default" size="compact-sm" onClick={() => setLimit(MOST)}>
                  Show more
                </Button>
              ) : null}
              {conversations.length === MOST ? (
                <p className={layout.remark}>These are the newest {MOST}. Search finds older ones.</p>
              ) : null}
            </>
          )
        }
      </Query>
    </section>
  );
}
