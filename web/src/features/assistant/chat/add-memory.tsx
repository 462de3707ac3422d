// Adds a memory by the tool that assistants have for it, with the same rights. Guards: what was refused stays in the field; who may
// not use the tool is told who gives the right, instead of a form that fails.
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { ticked, typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import classes from './chat.module.css';

const TOOL = 'store_memory';
const MOST_CHARACTERS = 8192;

export interface AddMemoryProps {
  draft: string;
  onDraft: (draft: string) => void;
  /** Also for those who may not see what the caller sees. */
  mayAddForAll: boolean;
}

function useStore(onStored: () => void) {
  const add = useOperationMutation('callMcpTool');
  const store = (memory: { content: string; category: string; scope: string; pinned: boolean }) =>
    add.mutate(
      { body: { name: TOOL, arguments: memory } },
      { onSuccess: ({ isError }) => isError !== true && onStored() },
    );
  const refusal = add.data?.isError ? add.data.content.map(({ text }) => text).join('\n') : undefined;
  return { store, refusal, error: add.error, isPending: add.isPending };
}

export function AddMemory({ draft, onDraft, mayAddForAll }: AddMemoryProps) {
  const tools = useOperation('listMcpTools', {}, { staleMs: 300_000 });
  const [category, setCategory] = useState('fact');
  const [pinned, setPinned] = useState(false);
  const [forAll, setForAll] = useState(false);
  const { store, refusal, error, isPending } = useStore(() => onDraft(''));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const scope = forAll ? 'system' : 'user';
    store({ content: draft.trim(), category: category.trim(), scope, pinned });
  };
  if (tools.data && !tools.data.tools.some(({ name }) => name === TOOL))
    return (
      <p className={layout.remark}>
        To add memories you need the tool {TOOL}: an administrator gives it to a group of yours.
      </p>
    );
  return (
    <form className={classes.turn} onSubmit={onSubmit}>
      <Textarea
        label="Remember"
        description="No passwords and no personal data: it is sent to the model."
        rows={draft.length > 200 ? 6 : 2}
        maxLength={MOST_CHARACTERS}
        {...typed(draft, onDraft)}
      />
      {draft === '' ? null : (
        <>
          <TextInput label="Category" maxLength={100} {...typed(category, setCategory)} />
          <Checkbox label="Pin: add it to every chat" {...ticked(pinned, setPinned)} />
          {mayAddForAll ? <Checkbox label="For all users" {...ticked(forAll, setForAll)} /> : null}
          <FormError error={error} />
          {refusal === undefined ? null : (
            <Notice tone="bad" role="alert">
              {refusal}
            </Notice>
          )}
          <div className={classes.buttons}>
            <Button
              type="submit"
              size="compact-sm"
              loading={isPending}
              disabled={draft.trim() === '' || category.trim() === ''}
            >
              Remember
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => onDraft('')}>
              Cancel
            </Button>
          </div>
        </>
      )}
    </form>
  );
}
