# An app with OmniAuth at the origin of its argument. Its input has the arguments of the strategy, as the preset
# omniauth prints them.
require 'rack'
require 'rack/handler/webrick'
require 'omniauth_openid_connect'
require 'json'

SWD.url_builder = URI::HTTP # the tests have no TLS
OmniAuth.config.allowed_request_methods = [:get]
OmniAuth.config.silence_get_warning = true
OmniAuth.config.request_validation_phase = nil

here = URI(ARGV[0])
options = { client_options: {} }
$stdin.each_line(chomp: true) do |line|
  key, value = line.split(': ', 2)
  value = value == 'true' || (value.start_with?('[') ? value[1..-2].split(', ').map(&:to_sym) : value)
  if key.start_with?('client_options, ')
    options[:client_options][key.delete_prefix('client_options, ').to_sym] = value
  else
    options[key.to_sym] = key =~ /type|method/ ? value.to_sym : value
  end
end
app = Rack::Builder.new do
  use Rack::Session::Cookie, secret: 'a secret of OmniAuth in the tests, of sixty-four characters or more', key: 'omniauth'
  use(OmniAuth::Builder) { provider :openid_connect, options }
  run lambda { |env|
    user = env['omniauth.auth']
    text = user ? { Subject: user.uid, Email: user.info.email, Name: user.info.name, Groups: user.extra.raw_info.groups } : { Path: env['PATH_INFO'], Error: env['omniauth.error'].to_s }
    [200, { 'Content-Type' => 'application/json' }, [JSON.generate(text)]]
  }
end
OmniAuth.config.on_failure = ->(env) { [502, {}, [env['omniauth.error'].inspect]] }
Rack::Handler::WEBrick.run(app, Host: here.host, Port: here.port, AccessLog: [])
