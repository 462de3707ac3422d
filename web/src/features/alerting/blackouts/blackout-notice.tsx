// Says on the page of a server that it is kept quiet now, until when and why; and leads to all that holds for it.
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { zoneName } from '../../../lib/zone.ts';
import { BlackoutIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { dayAndHour, targetWords } from './blackout-words.ts';
import { blackoutsPath } from './blackouts-path.ts';

const EVERY_MS = 30_000;

export function BlackoutNotice({ connectionId }: { connectionId: number }) {
  const query = { covers_connection_id: connectionId, active: true, limit: 100 };
  const { data } = useOperation('listBlackouts', { query }, { everyMs: EVERY_MS });
  // The one that lasts longest is what it is about.
  const [last] = (data?.blackouts ?? []).toSorted((a, b) => Date.parse(b.end_time) - Date.parse(a.end_time));
  if (!last) return null;
  return (
    <Notice
      tone="info"
      role="status"
      icon={<BlackoutIcon size={16} />}
      action={
        <Link className="link" to={blackoutsPath(connectionId)}>
          Silences
        </Link>
      }
    >
      Silenced until {dayAndHour(Date.parse(last.end_time), zoneName('local'))} (
      <Name>{targetWords(last)}</Name>){last.reason === '' ? '.' : <>: {<Name>{last.reason}</Name>}</>}
    </Notice>
  );
}
