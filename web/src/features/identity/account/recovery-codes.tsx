// Recovery codes, which are shown once.
import { Button } from '@mantine/core';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { BackGuard } from '../../../ui/draft.tsx';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import classes from './second-factor.module.css';

/** The codes stay on the page until the user says that they are kept. */
interface RecoveryCodesProps {
  codes: readonly string[];
  onDone: () => void;
  /** They stand in a page that can be left: a link asks before they are gone for good. */
  isPage?: boolean;
}

export function RecoveryCodes({ codes, onDone, isPage = false }: RecoveryCodesProps) {
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
      {isPage ? <BackGuard isPage isChanged={() => true} /> : null}
    </div>
  );
}
