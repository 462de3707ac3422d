// A button for each provider. Where to go afterwards is kept in this tab while the browser is at the provider.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { SignInOptions } from '../../../api/types.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import classes from './auth-layout.module.css';
import { FailureNotice } from './failure-notice.tsx';
import { keepNext } from './kept-next.ts';

type ProviderId = SignInOptions['providers'][number]['id'];

export function ProviderButtons({ options, next }: { options: SignInOptions | undefined; next: string }) {
  const start = useOperationMutation('startProviderSignIn');
  const [chosen, setChosen] = useState<ProviderId>();
  if (!options || options.providers.length === 0) return null;
  const go = async (provider: ProviderId) => {
    setChosen(provider);
    try {
      const { authorization_url } = await start.mutateAsync({ params: { provider } });
      keepNext(next);
      window.location.assign(authorization_url);
    } catch {
      // Shown below.
    }
  };
  return (
    <div className={classes.providers}>
      {start.error ? <FailureNotice error={start.error} /> : null}
      {options.providers.map(({ id, label }) => (
        <Button
          key={id}
          variant="default"
          fullWidth
          loading={start.isPending && chosen === id}
          onClick={() => go(id)}
        >
          {`Sign in with ${label}`}
        </Button>
      ))}
    </div>
  );
}
