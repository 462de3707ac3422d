// The own second factor on the page Account: set it up, replace the recovery codes, remove it.
import { Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OperationTypes } from '../../api/operations.gen.ts';
import { useOperation, useOperationMutation } from '../../api/use-operation.ts';
import { countOf } from '../../lib/format.ts';
import { FormError } from '../../ui/form-error.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { CodeField } from '../auth/code-field.tsx';
import classes from './second-factor.module.css';
import { OwnPasswordField, RecoveryCodes, SecondFactorSetup } from './second-factor-setup.tsx';

type State = OperationTypes['getSecondFactor']['result'];
/** Below so many the page says that new ones are due. */
const FEW_CODES = 3;

interface ChangeProps {
  kind: 'replaceRecoveryCodes' | 'removeOwnSecondFactor';
  onDone: (codes?: readonly string[]) => void;
  onCancel: () => void;
}

function Change({ kind, onDone, onCancel }: ChangeProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const replace = useOperationMutation('replaceRecoveryCodes');
  const remove = useOperationMutation('removeOwnSecondFactor');
  const isRemoval = kind === 'removeOwnSecondFactor';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input = { body: { password, code: code.trim() } };
    const onError = () => setCode('');
    if (isRemoval) remove.mutate(input, { onSuccess: () => onDone(), onError });
    else replace.mutate(input, { onSuccess: ({ recovery_codes }) => onDone(recovery_codes), onError });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <p className={classes.text}>
        {isRemoval
          ? 'Without a second factor your password alone signs you in.'
          : 'The old recovery codes stop working.'}
      </p>
      <FormError error={replace.error ?? remove.error} />
      <OwnPasswordField value={password} onChange={setPassword} />
      <CodeField value={code} onChange={setCode} />
      <div className={classes.row}>
        <Button
          type="submit"
          {...(isRemoval && { color: 'red' })}
          loading={replace.isPending || remove.isPending}
        >
          {isRemoval ? 'Remove the second factor' : 'Replace the codes'}
        </Button>
        <Button variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function InForce({ state, onCodes }: { state: State; onCodes: (codes: readonly string[]) => void }) {
  const [changing, setChanging] = useState<ChangeProps['kind']>();
  const left = state.recovery_codes_left;
  if (changing)
    return (
      <Change
        kind={changing}
        onCancel={() => setChanging(undefined)}
        onDone={(codes) => {
          setChanging(undefined);
          if (codes) onCodes(codes);
        }}
      />
    );
  return (
    <div className={classes.form}>
      <p>Signing in with your password takes a code of your authenticator app.</p>
      {left < FEW_CODES ? (
        <Notice tone="warn">{`${countOf(left, 'recovery code')} left. Replace them.`}</Notice>
      ) : (
        <p className={classes.text}>{`${countOf(left, 'recovery code')} left.`}</p>
      )}
      <div className={classes.row}>
        <Button variant="default" onClick={() => setChanging('replaceRecoveryCodes')}>
          Replace recovery codes
        </Button>
        <Button variant="default" onClick={() => setChanging('removeOwnSecondFactor')}>
          Remove
        </Button>
      </div>
    </div>
  );
}

function Absent({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  return (
    <div className={classes.form}>
      <p className={classes.text}>
        With a second factor, signing in takes your password and a code of an authenticator app. Setting it up
        ends all other sessions of yours.
      </p>
      <SecondFactorSetup submitLabel="Set up" onCodes={onCodes} />
    </div>
  );
}

export function SecondFactor() {
  const query = useOperation('getSecondFactor', {});
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Panel title="Second factor" note={query.data?.is_set_up ? 'set up' : 'not set up'}>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
      ) : (
        <Query query={query} what="your second factor">
          {(state) =>
            state.is_set_up ? <InForce state={state} onCodes={setCodes} /> : <Absent onCodes={setCodes} />
          }
        </Query>
      )}
    </Panel>
  );
}
