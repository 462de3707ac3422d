// One finding: what is so and since when, what it rests on, what to do and what speaks against it, what else changed then,
// and after it was resolved what that brought.
import { Link, useParams } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { ExplainButton } from '../../../ui/explain-button.tsx';
import { Name } from '../../../ui/name.tsx';
import { NotFoundPage } from '../../../ui/not-found-page.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { aboutFinding } from './finding-about.ts';
import { FindingBody } from './finding-body.tsx';
import { type FindingDetail, STATE_WORDS } from './finding-words.ts';
import { MuteButton } from './mute-dialog.tsx';
import { StandsStill } from './unjudged.tsx';

const EVERY_MS = 15_000;

function OneFinding({ detail }: { detail: FindingDetail }) {
  const { finding } = detail;
  return (
    <>
      <PageHeader
        title={finding.title}
        facts={
          <>
            <Link className="link" to={`/servers/${finding.connection_id}?tab=findings`}>
              <Name>{finding.server_name}</Name>
            </Link>{' '}
            · {STATE_WORDS[finding.state].toLowerCase()}
          </>
        }
        actions={
          <>
            <ExplainButton what={finding.title} question={() => aboutFinding(detail)} />
            <MuteButton detail={detail} />
          </>
        }
      />
      <FindingBody detail={detail} />
    </>
  );
}

function FindingById({ id }: { id: number }) {
  const found = useOperation('getFinding', { params: { id } }, { everyMs: EVERY_MS });
  if (found.error?.status === 404) return <NotFoundPage />;
  if (found.data)
    return (
      <>
        <StandsStill query={found} />
        <OneFinding detail={found.data} />
      </>
    );
  return (
    <>
      <PageHeader title={`Finding ${id}`} facts={'\u00a0'} />
      <Panel title="State">
        <Query query={found} what="the finding" lines={6} />
      </Panel>
    </>
  );
}

export function FindingPage() {
  const { id = '' } = useParams();
  const number = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
  if (number === 0 || !Number.isSafeInteger(number)) return <NotFoundPage />;
  return <FindingById key={number} id={number} />;
}
