// Two apps of others: PASSPORT and EXPRESS are their origins, ISSUER is Portico. Both have the same secret.
import express from 'express';
import { auth } from 'express-openid-connect';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER, PASSPORT, EXPRESS, SECRET } = process.env;
const listen = (app, origin) => app.listen(new URL(origin).port, '127.0.0.1');

{
  const found = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json();
  const app = express();
  app.use(session({ secret: SECRET, resave: false, saveUninitialized: false, name: 'passport' }));
  app.use(passport.initialize());
  app.use(passport.session());
  passport.use(
    new OpenIDConnectStrategy(
      {
        issuer: found.issuer,
        authorizationURL: found.authorization_endpoint,
        tokenURL: found.token_endpoint,
        userInfoURL: found.userinfo_endpoint,
        clientID: 'passport',
        clientSecret: SECRET,
        callbackURL: `${PASSPORT}/callback`,
        scope: ['email', 'profile'],
        skipUserProfile: false,
      },
      (_issuer, profile, done) => done(null, profile),
    ),
  );
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user));
  app.get('/login', passport.authenticate('openidconnect'));
  app.get('/callback', passport.authenticate('openidconnect'), (_request, response) => response.redirect('/'));
  app.get('/', (request, response) =>
    response.json({ Subject: request.user.id, Name: request.user.displayName, Email: request.user.emails[0].value }),
  );
  listen(app, PASSPORT);
}
{
  const app = express();
  app.use(
    auth({
      issuerBaseURL: ISSUER,
      baseURL: EXPRESS,
      clientID: 'express',
      clientSecret: SECRET,
      secret: SECRET,
      authorizationParams: { response_type: 'code', scope: 'openid email profile offline_access' },
      authRequired: false,
      idpLogout: true,
    }),
  );
  app.get('/', async (request, response) => {
    if (!request.oidc.isAuthenticated()) return response.send('signed out of the app');
    const first = request.oidc.accessToken.access_token;
    const next = await request.oidc.accessToken.refresh();
    const user = await request.oidc.fetchUserInfo();
    response.json({
      Subject: user.sub,
      Name: user.name,
      Email: user.email,
      Access: next.access_token,
      Same: next.access_token === first,
    });
  });
  listen(app, EXPRESS);
}
