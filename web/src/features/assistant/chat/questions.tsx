// What an empty conversation offers: questions to begin with, and, where no model is configured, what is found already.
// Guards: what cannot be read is left out, so that an empty conversation never looks broken.
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Result } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Status } from '../../../ui/status.tsx';
import { SEVERITY_WORDS } from '../../insight/findings/finding-words.ts';
import classes from './chat.module.css';
import { ownPath } from './own-path.ts';
import type { Scope } from './page-scope.ts';

type Finding = Result<'listChatQuestions'>['findings'][number];

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section aria-label="What is found already" className={classes.turn}>
      <h3 className={layout.remark}>What is found already</h3>
      <ul className={classes.findings}>
        {findings.map(({ link, title, severity, server_name }) => (
          <li key={link} className={classes.finding}>
            <Status {...SEVERITY_WORDS[severity]} iconOnly />
            <span>
              <Link className="link" to={ownPath(link) ?? '/findings'}>
                {title}
              </Link>{' '}
              <span className={layout.remark}>
                <Name>{server_name}</Name>
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export interface QuestionsProps {
  ask: (message: string) => void;
  scope: Scope;
}

export function Questions({ ask, scope: { kind, id } }: QuestionsProps) {
  const query = { scope_kind: kind, ...(id === undefined ? {} : { scope_id: id }) };
  const { data } = useOperation('listChatQuestions', { query }, { staleMs: 60_000, keepPrevious: true });
  if (!data) return null;
  return (
    <>
      {data.is_model ? null : (
        <p className={layout.remark}>No model is configured; these questions are answered by rules.</p>
      )}
      <div className={classes.questions}>
        {data.questions.map(({ question, asked }) => (
          <Button key={question} variant="default" size="xs" onClick={() => ask(asked)}>
            {asked}
          </Button>
        ))}
      </div>
      {data.is_model ? null : <Findings findings={data.findings} />}
    </>
  );
}
