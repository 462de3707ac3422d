// Where a plan is pasted or chosen as a file.
import { Button, FileButton, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { readPasted } from '../../../lib/plans.ts';
import { usePageDraft } from '../../../ui/draft.tsx';
import { typed } from '../../../ui/field.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from './plan.module.css';

const MOST_BYTES = 96 * 1024 * 1024;

export interface PastePanelProps {
  title: string;
  hint: string;
  onRead: (text: string) => void;
  onCancel?: () => void;
}

export function PastePanel({ title, hint, onRead, onCancel }: PastePanelProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const { events, guard } = usePageDraft(false);
  const take = (given: string) => {
    const read = readPasted(given);
    if ('problem' in read) setProblem(read.problem);
    else onRead(given);
  };
  const takeFile = async (file: File | null) => {
    if (file === null) return;
    if (file.size > MOST_BYTES) setProblem('The file is larger than 96 MB, the limit for a plan.');
    else take(await file.text());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    take(text);
  };
  return (
    <Panel title={title}>
      <form className={layout.stack} {...events} onSubmit={submit}>
        <Textarea
          label="Output of EXPLAIN"
          description={hint}
          rows={12}
          spellCheck={false}
          {...typed(text, setText)}
          classNames={{ input: classes.paste ?? '' }}
        />
        {problem === undefined ? null : (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        <div className={layout.tools}>
          <Button type="submit">Explain plan</Button>
          <FileButton onChange={takeFile}>
            {(props) => (
              <Button variant="default" {...props}>
                Choose file
              </Button>
            )}
          </FileButton>
          {onCancel === undefined ? null : (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </div>
        {guard}
      </form>
    </Panel>
  );
}
