// Said on every page while Matriarch itself does not answer; the facts below it are then the last known ones.
import { isOutage } from '../api/client.ts';
import { useEstate } from '../features/estate/estate/use-estate.ts';
import { clockTime } from '../lib/time.ts';
import { OutageIcon } from '../ui/icons.ts';
import { Notice } from '../ui/notice.tsx';

export function OutageNotice() {
  const estate = useEstate();
  if (estate.error === null || !isOutage(estate.error) || estate.dataUpdatedAt === 0) return null;
  return (
    <Notice tone="warn" role="status" icon={<OutageIcon size={16} />}>
      {estate.error.message} Not updated since {clockTime(estate.dataUpdatedAt)}; it is read again by itself.
    </Notice>
  );
}
