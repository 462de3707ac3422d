// Signing in with a password, and a code where the account has a second factor: the server says so once the password was right.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiError, call } from '../../../api/client.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { askPasskey } from './passkey.ts';

export interface Login {
  /** The password was right, and a code is to follow. */
  needsCode: boolean;
  error: ApiError | null;
  isPending: boolean;
  /** Answers what to type again: nothing where it worked. */
  send(given: { username: string; password: string; code: string }): Promise<'nothing' | 'password' | 'code'>;
  /** The browser asks for a passkey in place of the code. */
  sendPasskey(given: { username: string; password: string }): void;
  isAsking: boolean;
  startAgain(): void;
}

export function useLogin(): Login {
  const [needsCode, setNeedsCode] = useState(false);
  const client = useQueryClient();
  const login = useOperationMutation('login');
  const second = useMutation<unknown, ApiError, { username: string; password: string }>({
    mutationFn: async (body) => call('login', { body: { ...body, passkey: await askPasskey() } }),
    onMutate: () => login.reset(),
    onSuccess: () => client.invalidateQueries(),
  });
  return {
    needsCode,
    sendPasskey: second.mutate,
    isAsking: second.isPending,
    // The first refusal only says that a code follows, and the form asks for it.
    error:
      login.error && !(login.error.needsCode && !login.variables?.body.code) ? login.error : second.error,
    isPending: login.isPending,
    async send({ code, ...body }) {
      second.reset();
      try {
        await login.mutateAsync({ body: { ...body, ...(needsCode && { code: code.trim() }) } });
        await client.invalidateQueries();
        return 'nothing';
      } catch (error) {
        const isCode = error instanceof Error && 'needsCode' in error && error.needsCode === true;
        // Too many attempts, or an outage, say nothing about the password.
        const stays =
          isCode || (needsCode && !(error instanceof Error && 'status' in error && error.status === 401));
        setNeedsCode(stays);
        return stays ? 'code' : 'password';
      }
    },
    startAgain() {
      login.reset();
      second.reset();
      setNeedsCode(false);
    },
  };
}
