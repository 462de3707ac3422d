// The picture of a cluster: servers as cards, replication as lines with the lag on them. A line opens its numbers. The
// table beside it says the same in rows.
import { useMediaQuery } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { WarningIcon } from '../../../ui/icons.ts';
import { Status } from '../../../ui/status.tsx';
import { keyOf, lagOf, pauseOf } from './link-words.ts';
import { type ClusterLink, RELATION_WORDS, roleWords, type Server, type State } from './model.ts';
import { LABEL, type Line, layOut, NODE, type Spot } from './picture-layout.ts';
import classes from './topology-picture.module.css';

export interface PictureProps {
  name: string;
  /** Those on top, with those below them. */
  servers: readonly Server[];
  all: readonly Server[];
  links: readonly ClusterLink[];
  chosen: string;
  onChoose: (key: string) => void;
  stateOf: (server: Server) => State;
}

function Card({ server, spot, state }: { server: Server; spot: Spot; state: State }) {
  const facts = [roleWords(server.role), server.version].filter((fact) => fact != null && fact !== '');
  return (
    <foreignObject x={spot.x} y={spot.y} width={NODE.width} height={NODE.height}>
      <Link className={classes.card} to={`/servers/${server.id}`} data-mark={state.mark}>
        <span className={classes.line}>
          <Status mark={state.mark} label={state.label} iconOnly size={16} />
          <bdi className={classes.name}>{server.name}</bdi>
        </span>
        <span className={classes.facts}>{facts.length > 0 ? facts.join(' · ') : 'Role not known yet'}</span>
      </Link>
    </foreignObject>
  );
}

interface LabelProps {
  line: Line;
  names: ReadonlyMap<number, string>;
  isChosen: boolean;
  onChoose: () => void;
  /** Somebody looks at it, with the mouse or by keyboard. */
  onLook: (looks: boolean) => void;
}

function Label({ line, names, isChosen, onChoose, onLook }: LabelProps) {
  const { link, label } = line;
  const lag = lagOf(link);
  const words = `${names.get(link.source_connection_id)} ${RELATION_WORDS[link.relationship_type]} ${names.get(link.target_connection_id)}`;
  const because = [link.reason, pauseOf(link)?.label].filter(Boolean).join(' ');
  return (
    <foreignObject
      x={label.x - LABEL.width / 2}
      y={label.y - LABEL.height / 2}
      width={LABEL.width}
      height={LABEL.height}
    >
      <button
        type="button"
        className={classes.label}
        data-tone={lag.tone}
        aria-pressed={isChosen}
        title={because === '' ? words : `${words}. ${because}`}
        onClick={onChoose}
        onPointerEnter={() => onLook(true)}
        onPointerLeave={() => onLook(false)}
        onFocus={() => onLook(true)}
        onBlur={() => onLook(false)}
      >
        <span className="visually-hidden">{words}: </span>
        {lag.tone === 'warn' ? <WarningIcon size={12} aria-hidden="true" /> : null}
        <span>{lag.text}</span>
      </button>
    </foreignObject>
  );
}

export function TopologyPicture({ name, servers, all, links, chosen, onChoose, stateOf }: PictureProps) {
  const isNarrow = useMediaQuery('(max-width: 760px)') ?? false;
  const [looked, look] = useState('');
  const picture = useMemo(() => layOut(servers, links, isNarrow), [servers, links, isNarrow]);
  const names = new Map(all.map(({ id, name: title }) => [id, title]));
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold the lines of a picture */}
      <svg
        className={classes.picture}
        width={picture.width}
        height={picture.height}
        viewBox={`0 0 ${picture.width} ${picture.height}`}
        role="group"
        aria-label={`Topology of ${name}`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7.5"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="10"
            markerHeight="10"
            orient="auto"
          >
            <path className={classes.arrow} d="M 0 0.5 L 7.5 4 L 0 7.5 z" />
          </marker>
        </defs>
        {picture.lines.map(({ link, path }) => (
          <path
            key={keyOf(link)}
            className={classes.edge}
            d={path}
            markerEnd="url(#arrow)"
            data-type={link.relationship_type}
            data-chosen={keyOf(link) === chosen || keyOf(link) === looked || undefined}
          />
        ))}
        {all.map((server) => {
          const spot = picture.spots.get(server.id);
          return spot ? <Card key={server.id} server={server} spot={spot} state={stateOf(server)} /> : null;
        })}
        {picture.lines.map((line) => (
          <Label
            key={keyOf(line.link)}
            line={line}
            names={names}
            isChosen={keyOf(line.link) === chosen}
            onChoose={() => onChoose(keyOf(line.link) === chosen ? '' : keyOf(line.link))}
            onLook={(looks) => look(looks ? keyOf(line.link) : '')}
          />
        ))}
      </svg>
    </div>
  );
}
