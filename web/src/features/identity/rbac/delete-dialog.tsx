// The last question before an account, a group or a token goes, with what happens as a list.
import type { ReactNode } from 'react';
import { Question, type QuestionProps } from '../../../ui/question.tsx';
import classes from './rbac.module.css';

interface DeleteDialogProps extends Omit<QuestionProps, 'children'> {
  /** What happens, one sentence each. */
  facts: readonly ReactNode[];
}

export function DeleteDialog({ facts, ...question }: DeleteDialogProps) {
  return (
    <Question {...question}>
      <ul className={classes.facts}>
        {facts.map((fact, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of one dialog never change places
          <li key={at}>{fact}</li>
        ))}
      </ul>
    </Question>
  );
}
