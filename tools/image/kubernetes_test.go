package image

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	disruption "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

// manifest is packaging/kubernetes/portico.yaml, read with the types of Kubernetes.
type manifest struct {
	settings   core.ConfigMap
	deployment apps.Deployment
	services   map[string]*core.Service
	budget     disruption.PodDisruptionBudget
	network    networking.NetworkPolicy
}

func decode(t *testing.T, text []byte) (m manifest, err error) {
	t.Helper()
	m.services = map[string]*core.Service{}
	for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal(part, &kind); err != nil {
			return m, err
		}
		service := &core.Service{}
		target, known := map[string]any{
			"v1 ConfigMap": &m.settings, "apps/v1 Deployment": &m.deployment, "v1 Service": service,
			"policy/v1 PodDisruptionBudget": &m.budget, "networking.k8s.io/v1 NetworkPolicy": &m.network,
		}[kind.APIVersion+" "+kind.Kind]
		if !known {
			t.Fatalf("teach this test %s", kind.Kind)
		}
		if err := yaml.UnmarshalStrict(part, target); err != nil {
			return m, err
		}
		if kind.Kind == "Service" {
			m.services[service.Name] = service
		}
	}
	return m, nil
}

func TestKubernetes_Manifest(t *testing.T) {
	text := read(t, "packaging/kubernetes/portico.yaml")
	m, err := decode(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(t, bytes.Replace(text, []byte("readinessProbe"), []byte("readyProbe"), 1)); err == nil {
		t.Error("a field that Kubernetes does not know is not found")
	}
	pod := m.deployment.Spec.Template
	for name, selector := range map[string]*meta.LabelSelector{
		"Deployment": m.deployment.Spec.Selector, "PodDisruptionBudget": m.budget.Spec.Selector, "NetworkPolicy": &m.network.Spec.PodSelector,
		"Service": {MatchLabels: m.services["portico"].Spec.Selector}, "Service of the operations": {MatchLabels: m.services["portico-ops"].Spec.Selector},
	} {
		if s, err := meta.LabelSelectorAsSelector(selector); err != nil || s.Empty() || !s.Matches(labels.Set(pod.Labels)) {
			t.Errorf("the %s does not select the pods (%v)", name, err)
		}
	}
	portico := pod.Spec.Containers[0]
	ports := map[string]bool{}
	for _, p := range portico.Ports {
		ports[p.Name] = true
	}
	for name, port := range map[string]string{"portico": "http", "portico-ops": "ops"} {
		if to := m.services[name].Spec.Ports; len(to) != 1 || to[0].TargetPort.StrVal != port || !ports[port] {
			t.Errorf("the Service %s leads to %+v, not to the port %s alone", name, to, port)
		}
	}
	for _, rule := range m.network.Spec.Ingress {
		if port := rule.Ports[0].Port.StrVal; !ports[port] || port == "ops" && len(rule.From) == 0 {
			t.Errorf("everybody may connect to the port %s", port)
		}
	}
	pinned(t, portico.Image, true)
	// Stopping takes a minute at most, when the mail server hangs.
	if sleep := portico.Lifecycle.PreStop.Sleep.Seconds; sleep < 2 || *pod.Spec.TerminationGracePeriodSeconds < sleep+60 {
		t.Errorf("a pod sleeps for %d s before it stops, and is killed after %d s", sleep, *pod.Spec.TerminationGracePeriodSeconds)
	}
	for name, probe := range map[string]*core.Probe{"startup": portico.StartupProbe, "liveness": portico.LivenessProbe, "readiness": portico.ReadinessProbe} {
		if probe == nil || !ports[probe.HTTPGet.Port.StrVal] || probe.HTTPGet.Port.StrVal != "ops" {
			t.Errorf("the %s probe does not ask the operations listener", name)
		}
	}
	if portico.SecurityContext.ReadOnlyRootFilesystem == nil || !*portico.SecurityContext.ReadOnlyRootFilesystem || portico.Resources.Limits.Memory().IsZero() {
		t.Error("the root can be written, or the memory has no limit")
	}
	if user := *pod.Spec.SecurityContext.RunAsUser; !strings.HasPrefix(config(t).User, "65532:") || user != 65532 {
		t.Errorf("the pod runs as %d, the image as %s", user, config(t).User)
	}
}

// The pods run in a namespace with the level "restricted".
func TestKubernetes_Restricted(t *testing.T) {
	m, err := decode(t, read(t, "packaging/kubernetes/portico.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pod := m.deployment.Spec.Template
	forbidden := func() []string {
		var found []string
		for _, r := range evaluator.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
			if !r.Allowed {
				found = append(found, r.ForbiddenReason+": "+r.ForbiddenDetail)
			}
		}
		return found
	}
	for _, f := range forbidden() {
		t.Error(f)
	}
	pod.Spec.SecurityContext.RunAsNonRoot = nil
	if len(forbidden()) == 0 {
		t.Error("a pod that may run as root is not found")
	}
}

// The settings are complete, with the files of the ConfigMap and of the Secret where they are mounted.
func TestKubernetes_Settings(t *testing.T) {
	m, err := decode(t, read(t, "packaging/kubernetes/portico.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	pod := m.deployment.Spec.Template.Spec
	for _, folder := range []string{settingsFolder, secretsFolder} {
		if !slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(v core.VolumeMount) bool { return v.MountPath == folder && v.SubPath == "" && v.ReadOnly }) {
			t.Errorf("nothing is mounted at %s", folder) // a path inside a volume would never change
		}
	}
	variables := map[string]string{}
	for _, v := range pod.Containers[0].Env {
		variables[v.Name] = v.Value
	}
	checkSettings(t, "portico.yaml", m.settings.Data["portico.toml"], variables)
}

// The Prometheus Operator finds the Service of the operations listener.
func TestKubernetes_ServiceMonitor(t *testing.T) {
	m, err := decode(t, read(t, "packaging/kubernetes/portico.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var monitor struct {
		meta.TypeMeta   `json:",inline"`
		meta.ObjectMeta `json:"metadata"`
		Spec            struct {
			Selector  meta.LabelSelector      `json:"selector"`
			Endpoints []struct{ Port string } `json:"endpoints"`
		} `json:"spec"`
	}
	if err := yaml.UnmarshalStrict(read(t, "packaging/kubernetes/servicemonitor.yaml"), &monitor); err != nil {
		t.Fatal(err)
	}
	ops := m.services["portico-ops"]
	s, err := meta.LabelSelectorAsSelector(&monitor.Spec.Selector)
	if err != nil || s.Empty() || !s.Matches(labels.Set(ops.Labels)) || s.Matches(labels.Set(m.services["portico"].Labels)) {
		t.Errorf("it does not select the Service of the operations listener alone (%v)", err)
	}
	if len(monitor.Spec.Endpoints) != 1 || monitor.Spec.Endpoints[0].Port != ops.Spec.Ports[0].Name {
		t.Errorf("it scrapes %+v", monitor.Spec.Endpoints)
	}
}
