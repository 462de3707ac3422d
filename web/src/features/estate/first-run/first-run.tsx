// Guidance while only Matriarch's own server is watched: three steps to one's own.
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Panel } from '../../../ui/panel.tsx';
import classes from './first-run.module.css';

const STEPS = [
  {
    title: 'Paste a connection URL',
    text: 'A line such as postgres://you@db1.example.com/postgres fills the whole form. Any role that may connect will do.',
  },
  {
    title: 'See what the role may do',
    text: 'The test goes step by step and says in words what is missing, with the SQL for a role that may read statistics and nothing else.',
  },
  {
    title: 'Monitor with what you have',
    text: 'Facts appear in the table above within seconds. What could not be read is listed with its reason, never guessed.',
  },
] as const;

export function FirstRun() {
  return (
    <div className={classes.frame}>
      <Panel title="Watch a server of your own" note="three steps, about a minute">
        <ol className={classes.steps}>
          {STEPS.map((step, at) => (
            <li key={step.title} className={classes.step}>
              <span className={classes.number} aria-hidden="true">
                {at + 1}
              </span>
              <div>
                <h3 className={classes.title}>{step.title}</h3>
                <p className={classes.text}>{step.text}</p>
              </div>
            </li>
          ))}
        </ol>
        <div className={classes.action}>
          <Button component={Link} to="/servers/new">
            Begin
          </Button>
          <span className={classes.remark}>
            The server above is Matriarch&rsquo;s own datastore; it is watched so that this page has facts
            from the start.
          </span>
        </div>
      </Panel>
    </div>
  );
}
