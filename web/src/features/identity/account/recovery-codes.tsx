// Recovery codes, which are shown once.
import { Button } from '@mantine/core';
import { CodeBlock } from '../../../ui/code-block.tsx';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import classes from './second-factor.module.css';

/** The codes stay on the page until the user says that they are kept. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div className={layout.fields}>
      <Notice tone="warn" role="status">
        Keep these recovery codes in a safe place. They are shown only now. Each signs you in once when you do
        not have your app or passkey.
      </Notice>
      <CodeBlock code={codes.join('\n')} label="Recovery codes" fileName="matriarch-recovery-codes.txt" />
      <div className={classes.row}>
        <Button onClick={onDone}>I have kept them</Button>
      </div>
    </div>
  );
}
