// The own second factor on the page Account: set it up, replace the recovery codes, remove it.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import classes from './second-factor.module.css';
import { ChangeCodes, type ChangeCodesProps } from './second-factor-change.tsx';
import { SecondFactorSetup } from './second-factor-setup.tsx';

type State = OperationTypes['getSecondFactor']['result'];
/** Below so many the page says that new ones are due. */
const FEW_CODES = 3;

function SetUp({ state, onCodes }: { state: State; onCodes: (codes: readonly string[]) => void }) {
  const [changing, setChanging] = useState<ChangeCodesProps['kind']>();
  const left = state.recovery_codes_left;
  if (changing)
    return (
      <ChangeCodes
        kind={changing}
        inForce={{ hasApp: true, hasPasskeys: false }}
        onCancel={() => setChanging(undefined)}
        onDone={(codes) => {
          setChanging(undefined);
          if (codes) onCodes(codes);
        }}
      />
    );
  return (
    <div className={layout.fields}>
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

interface AbsentProps {
  hasPasskeys: boolean;
  onCodes: (codes: readonly string[]) => void;
}

function Absent({ hasPasskeys, onCodes }: AbsentProps) {
  return (
    <div className={layout.fields}>
      <p className={classes.text}>
        With a second factor, signing in takes your password and a code of an authenticator app. Setting it up
        ends all other sessions of yours.
      </p>
      <SecondFactorSetup hasPasskeys={hasPasskeys} submitLabel="Set up" onCodes={onCodes} />
    </div>
  );
}

function noteOf(isSetUp: boolean, hasPasskeys: boolean): string {
  if (isSetUp) return 'set up';
  return hasPasskeys ? 'by passkey' : 'not set up';
}

export function SecondFactor() {
  const query = useOperation('getSecondFactor', {});
  const hasPasskeys = (useOperation('listOwnPasskeys', {}).data?.passkeys.length ?? 0) > 0;
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Panel title="Second factor" note={noteOf(query.data?.is_set_up ?? false, hasPasskeys)}>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} isPage />
      ) : (
        <Query query={query} what="your second factor">
          {(state) =>
            state.is_set_up ? (
              <SetUp state={state} onCodes={setCodes} />
            ) : (
              <Absent hasPasskeys={hasPasskeys} onCodes={setCodes} />
            )
          }
        </Query>
      )}
    </Panel>
  );
}
