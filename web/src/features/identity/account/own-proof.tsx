// What is asked for again before the own account signs in otherwise: the password, and what is in force as second factor.
import { Button, PasswordInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { typed } from '../../../ui/field.ts';
import layout from '../../../ui/layout.module.css';
import { CodeField } from '../auth/code-field.tsx';
import { askPasskey } from '../auth/passkey.ts';
import classes from './second-factor.module.css';

function OwnPasswordField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <PasswordInput
      label="Your password"
      autoComplete="current-password"
      required
      withAsterisk={false}
      maxLength={1024}
      {...typed(value, onChange)}
    />
  );
}

export interface InForce {
  hasApp: boolean;
  hasPasskeys: boolean;
}

export interface Given {
  password: string;
  code?: string;
  passkey?: string;
}

export interface OwnProof {
  fields: ReactNode;
  /** Asks for a passkey where no code is typed. */
  give(): Promise<Given>;
  /** What was refused is typed again. */
  clear(): void;
}

export function useOwnProof({ hasApp, hasPasskeys }: InForce): OwnProof {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [byCode, setByCode] = useState(false);
  const takesCode = hasApp || (hasPasskeys && byCode);
  return {
    fields: (
      <>
        <OwnPasswordField value={password} onChange={setPassword} />
        {takesCode ? <CodeField value={code} onChange={setCode} /> : null}
        {hasPasskeys && !takesCode ? (
          <div className={layout.fields}>
            <p className={classes.text}>Your browser asks for one of your passkeys after that.</p>
            <div className={classes.row}>
              <Button variant="subtle" size="compact-sm" onClick={() => setByCode(true)}>
                Use a recovery code
              </Button>
            </div>
          </div>
        ) : null}
      </>
    ),
    async give() {
      if (takesCode) return { password, code: code.trim() };
      return hasPasskeys ? { password, passkey: await askPasskey() } : { password };
    },
    clear() {
      if (!takesCode) setPassword('');
      setCode('');
    },
  };
}
