// Makes the token of an assistant: a name, how long it is valid, and whether it may read on the monitored servers.
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ApiError } from '../../../api/client.ts';
import { usePageDraft } from '../../../ui/draft.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { useUser } from '../../identity/auth/use-user.ts';
import { type AssistantToken, type CreatedToken, makeAssistantToken, type Tool } from './assistant-token.ts';
import classes from './assistants.module.css';

const LIFETIMES = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: '1 year' },
];

export interface TokenFormProps {
  tools: readonly Tool[];
  onMade: (made: CreatedToken) => void;
}

export function TokenForm({ tools, onMade }: TokenFormProps) {
  const owner = useUser().data?.username ?? '';
  const [name, setName] = useState('assistant');
  const [expiresIn, setExpiresIn] = useState('30d');
  const [hasSql, setHasSql] = useState(false);
  const client = useQueryClient();
  const make = useMutation<CreatedToken, ApiError, AssistantToken>({
    mutationFn: makeAssistantToken,
    onSettled: () => client.invalidateQueries({ queryKey: ['listTokens'] }),
  });
  const { events, guard } = usePageDraft(make.isPending || make.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate({ owner, name: name.trim(), expiresIn, hasSql, tools }, { onSuccess: onMade });
  };
  return (
    <form className={classes.form} {...events} onSubmit={submit} autoComplete="off">
      <div className={classes.pair}>
        <TextInput
          label="Name"
          description="Which assistant will use it."
          maxLength={255}
          {...typed(name, setName)}
        />
        <NativeSelect
          label="Valid for"
          description="It stops by itself after that."
          data={LIFETIMES}
          {...typed(expiresIn, setExpiresIn)}
        />
      </div>
      <Checkbox
        label="May also read on the monitored servers"
        description="SELECT and EXPLAIN in a READ ONLY transaction, each call in the audit log. Without it, only what was collected is read."
        {...ticked(hasSql, setHasSql)}
      />
      <FormError error={make.error} />
      <div>
        <Button type="submit" loading={make.isPending} disabled={tools.length === 0}>
          Create a read-only token
        </Button>
      </div>
      {guard}
    </form>
  );
}
