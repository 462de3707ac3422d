// What is changed of a second factor that is in force: its recovery codes, or that it is there.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { type ApiError, call } from '../../../api/client.ts';
import { usePageDraft } from '../../../ui/draft.tsx';
import { FormButtons } from '../../../ui/form-end.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { type InForce, useOwnProof } from './own-proof.tsx';
import classes from './second-factor.module.css';

export interface ChangeCodesProps {
  kind: 'replaceRecoveryCodes' | 'removeOwnSecondFactor';
  inForce: InForce;
  onDone: (codes?: readonly string[]) => void;
  onCancel: () => void;
}

export function ChangeCodes({ kind, inForce, onDone, onCancel }: ChangeCodesProps) {
  const proof = useOwnProof(inForce);
  const client = useQueryClient();
  const isRemoval = kind === 'removeOwnSecondFactor';
  const change = useMutation<readonly string[] | undefined, ApiError>({
    mutationFn: async () => {
      const body = await proof.give();
      if (!isRemoval) return (await call('replaceRecoveryCodes', { body })).recovery_codes;
      await call('removeOwnSecondFactor', { body });
      return undefined;
    },
    onError: () => proof.clear(),
    onSuccess: async (codes) => {
      onDone(codes);
      await client.invalidateQueries();
    },
  });
  const { events, guard } = usePageDraft(change.isPending || change.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form className={layout.fields} {...events} onSubmit={submit}>
      <p className={classes.text}>
        {isRemoval
          ? 'Without a second factor your password alone signs you in.'
          : 'The old recovery codes stop working.'}
      </p>
      <FormError error={change.error} />
      {proof.fields}
      <FormButtons
        verb={isRemoval ? 'Remove the second factor' : 'Replace the codes'}
        isPending={change.isPending}
        isDangerous={isRemoval}
        onCancel={onCancel}
      />
      {guard}
    </form>
  );
}
